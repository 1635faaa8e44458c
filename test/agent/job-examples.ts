/** The Jobs of Kubernetes' pages on Jobs, as their authors wrote them; the programs are in sh. */

export const EXIT_CODE = `
apiVersion: batch/v1
kind: Job
metadata:
  name: exits
spec:
  backoffLimit: 2
  template:
    spec:
      restartPolicy: Never
      containers:
      - name: main
        image: busybox:1.28
        command: ["sh", "-c", "exit 3"]
`;

export const restartOnce = (once: string): string => `
apiVersion: batch/v1
kind: Job
metadata:
  name: again
spec:
  backoffLimit: 3
  template:
    spec:
      restartPolicy: OnFailure
      containers:
      - name: main
        image: busybox:1.28
        command: ["sh", "-c", "test -e ${once} && echo second || { touch ${once}; exit 1; }"]
`;

export const RESTART_FOR_EVER = `
apiVersion: batch/v1
kind: Job
metadata:
  name: enough
spec:
  backoffLimit: 1
  template:
    spec:
      restartPolicy: OnFailure
      containers:
      - name: main
        image: busybox:1.28
        command: ["sh", "-c", "exit 1"]
`;

export const withTimeout = (note: string): string => `
apiVersion: batch/v1
kind: Job
metadata:
  name: pi-with-timeout
spec:
  backoffLimit: 5
  activeDeadlineSeconds: 100
  template:
    spec:
      restartPolicy: Never
      containers:
      - name: pi
        image: perl:5.34.0
        command:
        - sh
        - -c
        - |
          trap 'echo bye > ${note}; exit 1' TERM
          echo up > ${note}
          while :; do sleep 0.1; done
`;

export const suspended = (directory: string): string => `
apiVersion: batch/v1
kind: Job
metadata:
  name: suspended
spec:
  suspend: true
  parallelism: 1
  completions: 2
  completionMode: Indexed
  template:
    spec:
      restartPolicy: Never
      containers:
      - name: main
        image: busybox:1.28
        command: ["sh", "-c", "exec sleep $(cat ${directory}/nap)"]
`;

export const LIMIT_PER_INDEX = `
apiVersion: batch/v1
kind: Job
metadata:
  name: job-backoff-limit-per-index-example
spec:
  completions: 10
  parallelism: 3
  completionMode: Indexed
  backoffLimitPerIndex: 1
  maxFailedIndexes: 5
  template:
    spec:
      restartPolicy: Never
      containers:
      - name: example
        image: python
        command:
        - sh
        - -c
        - |
          echo "Hello world"
          if [ $((JOB_COMPLETION_INDEX % 2)) -eq 0 ]; then exit 1; fi
`;

export const TOO_MANY_FAILED = `
apiVersion: batch/v1
kind: Job
metadata:
  name: too-many
spec:
  completions: 3
  parallelism: 3
  completionMode: Indexed
  backoffLimitPerIndex: 0
  maxFailedIndexes: 1
  template:
    spec:
      restartPolicy: Never
      containers:
      - name: example
        image: busybox:1.28
        command: ["sh", "-c", "[ $JOB_COMPLETION_INDEX -lt 2 ] && exit 1; exec sleep 600"]
`;

export const FAIL_INDEX = `
apiVersion: batch/v1
kind: Job
metadata:
  name: job-backoff-limit-per-index-failindex
spec:
  completions: 4
  parallelism: 2
  completionMode: Indexed
  backoffLimitPerIndex: 1
  template:
    spec:
      restartPolicy: Never
      containers:
      - name: main
        image: python
        command:
        - sh
        - -c
        - |
          if [ $JOB_COMPLETION_INDEX -eq 0 ]; then exit 1; fi
          if [ $JOB_COMPLETION_INDEX -eq 1 ]; then exit 42; fi
  podFailurePolicy:
    rules:
    - action: FailIndex
      onExitCodes:
        containerName: main
        operator: In
        values: [42]
`;

export const FAIL_JOB = `
apiVersion: batch/v1
kind: Job
metadata:
  name: job-pod-failure-policy-example
spec:
  completions: 12
  parallelism: 3
  template:
    spec:
      restartPolicy: Never
      containers:
      - name: main
        image: docker.io/library/bash:5
        command: ["sh"]
        args:
        - -c
        - echo "Hello world!" && sleep 0.5 && exit 42
  backoffLimit: 6
  podFailurePolicy:
    rules:
    - action: FailJob
      onExitCodes:
        containerName: main
        operator: In
        values: [42]
    - action: Ignore
      onPodConditions:
      - type: DisruptionTarget
`;

export const ignoreDisruption = (nap: string): string => `
apiVersion: batch/v1
kind: Job
metadata:
  name: job-pod-failure-policy-ignore
spec:
  completions: 1
  backoffLimit: 0
  template:
    spec:
      restartPolicy: Never
      containers:
      - name: main
        image: busybox:1.28
        command: ["sh", "-c", "sleep $(cat ${nap})"]
  podFailurePolicy:
    rules:
    - action: Ignore
      onPodConditions:
      - type: DisruptionTarget
`;

export const SUCCESS = `
apiVersion: batch/v1
kind: Job
metadata:
  name: job-success
spec:
  parallelism: 10
  completions: 10
  completionMode: Indexed
  successPolicy:
    rules:
    - succeededIndexes: 0,2-3
      succeededCount: 1
  template:
    spec:
      restartPolicy: Never
      containers:
      - name: main
        image: python
        command: ["sh", "-c", "[ $JOB_COMPLETION_INDEX = 2 ] || exec sleep 600"]
`;
