/** Pure: descriptions of the fields of containers, their environment, probes and states. */
export const containerDescriptions: { readonly [typeOrField: string]: string } = {
  "core/v1.Container": "One program in a Pod: an image, a command and the resources it needs.",
  "core/v1.Container.args":
    "Arguments of the command; the image's if left out. $(NAME) is replaced by the " +
    "variable of that name, $$(NAME) is kept as $(NAME).",
  "core/v1.Container.command":
    "The program to run, without a shell; the image's entry point if left out. Variables " +
    "are replaced as in args.",
  "core/v1.Container.env": "Environment variables. They take precedence over those of envFrom.",
  "core/v1.Container.envFrom":
    "ConfigMaps and Secrets whose keys all become environment variables. Later ones take " +
    "precedence.",
  "core/v1.Container.image": "The image to run, with a tag or digest.",
  "core/v1.Container.imagePullPolicy":
    "When the image is pulled: Always, IfNotPresent or Never. Always is the default for " +
    "the tag latest, IfNotPresent otherwise.",
  "core/v1.Container.lifecycle": "Actions after the container starts and before it stops.",
  "core/v1.Container.livenessProbe":
    "Checks whether the container still works; it is restarted if not.",
  "core/v1.Container.name": "Unique within the Pod. Cannot be changed.",
  "core/v1.Container.ports": "Ports the container listens on. Omitting one does not close it.",
  "core/v1.Container.readinessProbe":
    "Checks whether the container can accept requests; services exclude the Pod while it cannot.",
  "core/v1.Container.resizePolicy": "Whether the container must restart when its resources change.",
  "core/v1.Container.resources": "Requests and limits of CPU, memory and other resources.",
  "core/v1.Container.restartPolicy":
    "When this container is restarted, if different from the Pod. An init container with " +
    "Always runs beside the others.",
  "core/v1.Container.restartPolicyRules":
    "Exit codes for which the container is restarted regardless of its restartPolicy.",
  "core/v1.Container.securityContext":
    "User and confinement of this container. Takes precedence over the Pod's.",
  "core/v1.Container.startupProbe":
    "Checks whether the container has started; other probes wait for it.",
  "core/v1.Container.stdin": "Whether to keep standard input open for clients that attach.",
  "core/v1.Container.stdinOnce":
    "Whether standard input is closed after the first client has detached.",
  "core/v1.Container.terminationMessagePath":
    "The file whose content becomes the message of the ended container; " +
    "/dev/termination-log if left out.",
  "core/v1.Container.terminationMessagePolicy":
    "Where the message comes from: File (the default), or FallbackToLogsOnError to use " +
    "the end of the log if the file is empty and the container failed.",
  "core/v1.Container.tty": "Whether the container gets a terminal. Needs stdin.",
  "core/v1.Container.volumeDevices": "Block devices of the Pod's volumes.",
  "core/v1.Container.volumeMounts": "Where the Pod's volumes appear in the container.",
  "core/v1.Container.workingDir": "The directory the command starts in; the image's if left out.",

  "core/v1.ContainerPort": "A port the container listens on.",
  "core/v1.ContainerPort.containerPort": "The number, 1 to 65535.",
  "core/v1.ContainerPort.hostIP": "The address of the node that hostPort is bound to.",
  "core/v1.ContainerPort.hostPort": "A port of the node that is forwarded to this port.",
  "core/v1.ContainerPort.name": "A name that services and probes can use instead of the number.",
  "core/v1.ContainerPort.protocol": "TCP (the default), UDP or SCTP.",

  "core/v1.EnvVar": "An environment variable.",
  "core/v1.EnvVar.name": "The name of the variable.",
  "core/v1.EnvVar.value":
    "The value. $(NAME) is replaced by a variable defined before it, $$(NAME) is kept as $(NAME).",
  "core/v1.EnvVar.valueFrom": "Where the value comes from, instead of value.",
  "core/v1.EnvVarSource": "The source of the value of a variable: exactly one of these.",
  "core/v1.EnvVarSource.configMapKeyRef": "A key of a ConfigMap.",
  "core/v1.EnvVarSource.fieldRef": "A field of the Pod, such as metadata.name or status.podIP.",
  "core/v1.EnvVarSource.fileKeyRef": "A variable in a file that another container has written.",
  "core/v1.EnvVarSource.resourceFieldRef": "A request or limit of a container, such as limits.cpu.",
  "core/v1.EnvVarSource.secretKeyRef": "A key of a Secret.",
  "core/v1.EnvFromSource": "A ConfigMap or Secret whose keys become environment variables.",
  "core/v1.EnvFromSource.configMapRef": "The ConfigMap.",
  "core/v1.EnvFromSource.prefix": "Put before each key to make the name of the variable.",
  "core/v1.EnvFromSource.secretRef": "The Secret.",
  "core/v1.ObjectFieldSelector": "A field of the Pod itself.",
  "core/v1.ObjectFieldSelector.apiVersion": "The version the path is written in; v1 if left out.",
  "core/v1.ObjectFieldSelector.fieldPath": "The path of the field, such as metadata.labels['app'].",
  "core/v1.ResourceFieldSelector": "A request or limit of a container.",
  "core/v1.ResourceFieldSelector.containerName":
    "The container; needed in volumes, optional in variables.",
  "core/v1.ResourceFieldSelector.divisor":
    "The unit to count in; 1 if left out. The result is rounded up.",
  "core/v1.ResourceFieldSelector.resource": "Which one, such as requests.memory.",
  "core/v1.ConfigMapKeySelector": "A key of a ConfigMap in the Pod's namespace.",
  "core/v1.ConfigMapKeySelector.key": "The key.",
  "core/v1.ConfigMapKeySelector.name": "The name of the ConfigMap.",
  "core/v1.ConfigMapKeySelector.optional": "Whether the container may start without it.",
  "core/v1.SecretKeySelector": "A key of a Secret in the Pod's namespace.",
  "core/v1.SecretKeySelector.key": "The key.",
  "core/v1.SecretKeySelector.name": "The name of the Secret.",
  "core/v1.SecretKeySelector.optional": "Whether the container may start without it.",

  "core/v1.Probe":
    "A check of a container, repeated while it runs. Exactly one of exec, grpc, httpGet " +
    "and tcpSocket.",
  "core/v1.Probe.exec": "Run a command in the container; exit code 0 is success.",
  "core/v1.Probe.failureThreshold": "How many consecutive failures count as failed; by default 3.",
  "core/v1.Probe.grpc": "Query a gRPC health service.",
  "core/v1.Probe.httpGet": "Send a GET request; a code from 200 to 399 is success.",
  "core/v1.Probe.initialDelaySeconds": "How long to wait after the container has started.",
  "core/v1.Probe.periodSeconds": "Time from one check to the next; 10 if left out.",
  "core/v1.Probe.successThreshold":
    "How many consecutive successes end a failure; by default 1, and always 1 for liveness " +
    "and startup.",
  "core/v1.Probe.tcpSocket": "Open a connection; it succeeds if the connection is accepted.",
  "core/v1.Probe.terminationGracePeriodSeconds":
    "Grace period for a container killed because of this probe; the Pod's if left out.",
  "core/v1.Probe.timeoutSeconds": "How long one check may take; 1 if left out.",
  "core/v1.ExecAction": "A command to run in the container.",
  "core/v1.ExecAction.command": "Program and arguments; no shell is involved.",
  "core/v1.HTTPGetAction": "A GET request to the container.",
  "core/v1.HTTPGetAction.host": "The host to connect to; the Pod's address if left out.",
  "core/v1.HTTPGetAction.httpHeaders": "Headers to send.",
  "core/v1.HTTPGetAction.path": "The path to request; by default /.",
  "core/v1.HTTPGetAction.port": "The number or name of the port.",
  "core/v1.HTTPGetAction.scheme": "HTTP (the default) or HTTPS, whose certificate is not checked.",
  "core/v1.TCPSocketAction": "A connection to the container.",
  "core/v1.TCPSocketAction.host": "The host to connect to; the Pod's address if left out.",
  "core/v1.TCPSocketAction.port": "The number or name of the port.",
  "core/v1.Lifecycle": "Actions after the start and before the stop of a container.",
  "core/v1.Lifecycle.postStart":
    "Runs right after the start, at the same time as the command. The container is restarted " +
    "if it fails.",
  "core/v1.Lifecycle.preStop":
    "Runs before the container gets the stop signal, within the grace period.",
  "core/v1.Lifecycle.stopSignal": "The signal that stops the container; by default the image's.",
  "core/v1.LifecycleHandler": "One action: exec, httpGet or sleep.",
  "core/v1.LifecycleHandler.exec": "Run a command in the container.",
  "core/v1.LifecycleHandler.httpGet": "Send a GET request.",
  "core/v1.LifecycleHandler.sleep": "Wait.",
  "core/v1.LifecycleHandler.tcpSocket": "Has no effect.",

  "core/v1.ResourceRequirements": "The resources that a container requests, and its limits.",
  "core/v1.ResourceRequirements.claims": "Claims of the Pod that this container uses.",
  "core/v1.ResourceRequirements.limits":
    "The maximum it may use. Above its CPU limit it is throttled, above its memory limit it " +
    "is killed.",
  "core/v1.ResourceRequirements.requests": "The resources reserved for it; by default the limits.",
  "core/v1.SecurityContext":
    "User and confinement of one container. Takes precedence over the Pod's.",
  "core/v1.SecurityContext.allowPrivilegeEscalation":
    "Whether a process may gain more rights than its parent, for instance by set-user-ID programs.",
  "core/v1.SecurityContext.capabilities": "Linux capabilities to add and to drop.",
  "core/v1.SecurityContext.privileged": "Whether the container has the rights of root on the node.",
  "core/v1.SecurityContext.readOnlyRootFilesystem": "Whether the image's files are read-only.",
  "core/v1.SecurityContext.runAsGroup": "The primary group of the process.",
  "core/v1.SecurityContext.runAsNonRoot": "Whether to refuse to start if it would run as root.",
  "core/v1.SecurityContext.runAsUser": "The user of the process.",

  "core/v1.ContainerStatus": "The status of one container.",
  "core/v1.ContainerStatus.allocatedResources": "The resources that the node has reserved for it.",
  "core/v1.ContainerStatus.allocatedResourcesStatus": "The health of the devices it uses.",
  "core/v1.ContainerStatus.containerID": "The ID that the runtime gave it, as type://id.",
  "core/v1.ContainerStatus.image": "The image it runs, as the runtime names it.",
  "core/v1.ContainerStatus.imageID": "The image it runs, by its digest.",
  "core/v1.ContainerStatus.lastState":
    "How its previous run ended. Empty if it was never restarted.",
  "core/v1.ContainerStatus.name": "The name of the container.",
  "core/v1.ContainerStatus.ready": "Whether it passes its readiness probe, or runs and has none.",
  "core/v1.ContainerStatus.resources": "The current requests and limits.",
  "core/v1.ContainerStatus.restartCount": "How often it was restarted.",
  "core/v1.ContainerStatus.started":
    "Whether it runs and its startup probe, if any, has succeeded.",
  "core/v1.ContainerStatus.state": "Whether it is waiting, running or terminated.",
  "core/v1.ContainerStatus.stopSignal": "The signal that stops it.",
  "core/v1.ContainerStatus.user": "The user and groups with which its first process started.",
  "core/v1.ContainerStatus.volumeMounts": "How its volumes are mounted.",
  "core/v1.ContainerState": "One of three: waiting, running or terminated.",
  "core/v1.ContainerState.running": "It is running.",
  "core/v1.ContainerState.terminated": "It has ended.",
  "core/v1.ContainerState.waiting": "It has not started yet, or waits for a restart.",
  "core/v1.ContainerStateRunning": "A running container.",
  "core/v1.ContainerStateRunning.startedAt": "When it was last started.",
  "core/v1.ContainerStateTerminated": "A container that has ended.",
  "core/v1.ContainerStateTerminated.containerID": "The ID that the runtime gave it.",
  "core/v1.ContainerStateTerminated.exitCode":
    "Its exit code; 128 plus the signal number if it was killed.",
  "core/v1.ContainerStateTerminated.finishedAt": "When it ended.",
  "core/v1.ContainerStateTerminated.message": "The content of the file at terminationMessagePath.",
  "core/v1.ContainerStateTerminated.reason": "Why it ended: Completed, Error, OOMKilled and so on.",
  "core/v1.ContainerStateTerminated.signal": "The signal that ended it.",
  "core/v1.ContainerStateTerminated.startedAt": "When it was started.",
  "core/v1.ContainerStateWaiting": "A container that is not running yet.",
  "core/v1.ContainerStateWaiting.message": "What it waits for, as a sentence for people.",
  "core/v1.ContainerStateWaiting.reason":
    "What it waits for, as one word, such as ImagePullBackOff.",
};
