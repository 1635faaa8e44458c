// A program on client-go as most are: typed clients, which speak protobuf unless told otherwise,
// shared informers and leader election. It prints one line for each thing that worked, and ends
// with the first that did not.
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	applybatchv1 "k8s.io/client-go/applyconfigurations/batch/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/client-go/tools/remotecommand"
)

const namespace = "default"

func main() {
	config, err := clientcmd.BuildConfigFromFlags("", os.Args[1])
	check("read the kubeconfig", err)
	protobuf := &atomic.Int32{}
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return &counting{next, protobuf} })
	client, err := kubernetes.NewForConfig(config)
	check("make a client", err)
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()

	jobs := informed(ctx, client)
	created(ctx, client, jobs)
	told(ctx, client)
	entered(ctx, config, client)
	changed(ctx, client)
	deleted(ctx, client, jobs)
	refused(ctx, client)
	led(ctx, client)
	described(client)
	if protobuf.Load() == 0 {
		check("speak protobuf", errors.New("nothing was answered in it"))
	}
	check("speak protobuf", nil)
}

// Counts the answers in protobuf.
type counting struct {
	next  http.RoundTripper
	count *atomic.Int32
}

func (c *counting) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := c.next.RoundTrip(request)
	if err == nil && strings.Contains(response.Header.Get("Content-Type"), "protobuf") {
		c.count.Add(1)
	}
	return response, err
}

// The document that kubectl reads where the newer one has no answer, as protobuf.
func described(client kubernetes.Interface) {
	document, err := client.Discovery().OpenAPISchema()
	if err == nil {
		err = errors.New("no definition of a Job")
		for _, each := range document.GetDefinitions().GetAdditionalProperties() {
			if each.GetName() == "io.k8s.api.batch.v1.Job" && len(each.GetValue().GetVendorExtension()) > 0 {
				err = nil
			}
		}
	}
	check("read what is described", err)
}

func check(step string, err error) {
	if err != nil {
		fmt.Printf("%s: %v\n", step, err)
		os.Exit(1)
	}
	fmt.Println(step)
}

func await(ctx context.Context, step string, condition wait.ConditionWithContextFunc) {
	check(step, wait.PollUntilContextCancel(ctx, 20*time.Millisecond, true, condition))
}

type seen struct {
	store                   cache.Store
	added, updated, deleted atomic.Int32
}

func informed(ctx context.Context, client kubernetes.Interface) *seen {
	factory := informers.NewSharedInformerFactory(client, 0)
	informer := factory.Batch().V1().Jobs().Informer()
	jobs := &seen{store: informer.GetStore()}
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(any) { jobs.added.Add(1) },
		UpdateFunc: func(any, any) { jobs.updated.Add(1) },
		DeleteFunc: func(any) { jobs.deleted.Add(1) },
	})
	check("add a handler", err)
	factory.Start(ctx.Done())
	for kind, isSynced := range factory.WaitForCacheSync(ctx.Done()) {
		if !isSynced {
			check("fill the cache", fmt.Errorf("%v is not synced", kind))
		}
	}
	check("fill the cache", nil)
	return jobs
}

func aJob(name, script string, completions int32) *batchv1.Job {
	mode := batchv1.IndexedCompletion
	return &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: batchv1.JobSpec{
			Completions:    &completions,
			Parallelism:    &completions,
			CompletionMode: &mode,
			Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
				RestartPolicy: corev1.RestartPolicyNever,
				Containers: []corev1.Container{{
					Name: "c", Image: "busybox", Command: []string{"sh", "-c", script},
				}},
			}},
		},
	}
}

func created(ctx context.Context, client kubernetes.Interface, jobs *seen) {
	job := aJob("seen", "echo index $JOB_COMPLETION_INDEX", 2)
	made, err := client.BatchV1().Jobs(namespace).Create(ctx, job, metav1.CreateOptions{})
	check("create a Job", err)
	if made.Spec.BackoffLimit == nil || *made.Spec.BackoffLimit != 6 {
		check("default a Job", fmt.Errorf("backoffLimit %v", made.Spec.BackoffLimit))
	}
	await(ctx, "see a Job complete", func(context.Context) (bool, error) {
		object, found, err := jobs.store.GetByKey(namespace + "/seen")
		if err != nil || !found {
			return false, err
		}
		return object.(*batchv1.Job).Status.CompletedIndexes == "0,1", nil
	})
	if jobs.added.Load() != 1 || jobs.updated.Load() == 0 {
		check("be told of it", fmt.Errorf("%d added, %d updated", jobs.added.Load(), jobs.updated.Load()))
	}
	check("be told of it", nil)
}

func podOf(ctx context.Context, client kubernetes.Interface, job string) (*corev1.Pod, error) {
	options := metav1.ListOptions{LabelSelector: batchv1.JobNameLabel + "=" + job, Limit: 1}
	pods, err := client.CoreV1().Pods(namespace).List(ctx, options)
	if err != nil || len(pods.Items) == 0 {
		return nil, err
	}
	return &pods.Items[0], nil
}

func told(ctx context.Context, client kubernetes.Interface) {
	pod, err := podOf(ctx, client, "seen")
	check("list pods", err)
	request := client.CoreV1().Pods(namespace).GetLogs(pod.Name, &corev1.PodLogOptions{Follow: true})
	stream, err := request.Stream(ctx)
	check("open a log", err)
	defer stream.Close()
	text, err := io.ReadAll(stream)
	check("read a log", err)
	if !bytes.HasPrefix(text, []byte("index ")) {
		check("read a log", fmt.Errorf("%q", text))
	}
}

func entered(ctx context.Context, config *rest.Config, client kubernetes.Interface) {
	jobs := client.BatchV1().Jobs(namespace)
	_, err := jobs.Create(ctx, aJob("entered", "sleep 1000", 1), metav1.CreateOptions{})
	check("create a Job that goes on", err)
	var pod *corev1.Pod
	await(ctx, "see its pod run", func(ctx context.Context) (bool, error) {
		pod, err = podOf(ctx, client, "entered")
		return pod != nil && pod.Status.Phase == corev1.PodRunning, err
	})
	options := &corev1.PodExecOptions{
		Command: []string{"sh", "-c", "cat; echo err >&2; exit 3"},
		Stdin:   true, Stdout: true, Stderr: true,
	}
	request := client.CoreV1().RESTClient().Post().Resource("pods").Namespace(namespace).
		Name(pod.Name).SubResource("exec").VersionedParams(options, scheme.ParameterCodec)
	spdy, err := remotecommand.NewSPDYExecutor(config, "POST", request.URL())
	check("make a SPDY executor", err)
	socket, err := remotecommand.NewWebSocketExecutor(config, "GET", request.URL().String())
	check("make a WebSocket executor", err)
	for name, executor := range map[string]remotecommand.Executor{"SPDY": spdy, "WebSocket": socket} {
		var stdout, stderr bytes.Buffer
		err := executor.StreamWithContext(ctx, remotecommand.StreamOptions{
			Stdin: bytes.NewBufferString("typed"), Stdout: &stdout, Stderr: &stderr,
		})
		if err == nil || err.Error() != "command terminated with exit code 3" ||
			stdout.String() != "typed" || stderr.String() != "err\n" {
			check("execute over "+name, fmt.Errorf("%v, %q, %q", err, stdout.String(), stderr.String()))
		}
	}
	check("execute commands", nil)
}

func changed(ctx context.Context, client kubernetes.Interface) {
	jobs := client.BatchV1().Jobs(namespace)
	patch := []byte(`{"spec":{"suspend":true}}`)
	job, err := jobs.Patch(ctx, "entered", types.StrategicMergePatchType, patch, metav1.PatchOptions{})
	check("patch a Job", err)
	stale := job.DeepCopy()
	stale.ResourceVersion = "1"
	if _, err := jobs.Update(ctx, stale, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
		check("be refused a stale update", fmt.Errorf("%v", err))
	}
	await(ctx, "see its pod go", func(ctx context.Context) (bool, error) {
		pod, err := podOf(ctx, client, "entered")
		return pod == nil, err
	})
	apply := applybatchv1.Job("entered", namespace).WithLabels(map[string]string{"by": "apply"})
	applied, err := jobs.Apply(ctx, apply, metav1.ApplyOptions{FieldManager: "go"})
	check("apply a Job", err)
	if applied.Labels["by"] != "apply" {
		check("apply a Job", fmt.Errorf("labels %v", applied.Labels))
	}
}

func deleted(ctx context.Context, client kubernetes.Interface, jobs *seen) {
	policy := metav1.DeletePropagationForeground
	options := metav1.DeleteOptions{PropagationPolicy: &policy}
	all := metav1.ListOptions{}
	check("delete all Jobs", client.BatchV1().Jobs(namespace).DeleteCollection(ctx, options, all))
	await(ctx, "be told that they are gone", func(context.Context) (bool, error) {
		return jobs.deleted.Load() == 2 && len(jobs.store.List()) == 0, nil
	})
}

func refused(ctx context.Context, client kubernetes.Interface) {
	_, err := client.BatchV1().Jobs(namespace).Get(ctx, "absent", metav1.GetOptions{})
	if !apierrors.IsNotFound(err) {
		check("be told that there is none", fmt.Errorf("%v", err))
	}
	_, err = client.BatchV1().Jobs(namespace).Create(ctx, aJob("Not A Name", "true", 1), metav1.CreateOptions{})
	if !apierrors.IsInvalid(err) {
		check("be refused a wrong name", fmt.Errorf("%v", err))
	}
	check("be refused", nil)
}

// Two candidates: the second leads when the first lets go.
func led(ctx context.Context, client kubernetes.Interface) {
	leads := make(chan string, 2)
	elect := func(ctx context.Context, name string) {
		lock := &resourcelock.LeaseLock{
			LeaseMeta:  metav1.ObjectMeta{Name: "leader", Namespace: namespace},
			Client:     client.CoordinationV1(),
			LockConfig: resourcelock.ResourceLockConfig{Identity: name},
		}
		leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
			Lock: lock, ReleaseOnCancel: true,
			LeaseDuration: 5 * time.Second, RenewDeadline: 4 * time.Second, RetryPeriod: 200 * time.Millisecond,
			Callbacks: leaderelection.LeaderCallbacks{
				OnStartedLeading: func(context.Context) { leads <- name },
				OnStoppedLeading: func() {},
			},
		})
	}
	first, stop := context.WithCancel(ctx)
	go elect(first, "first")
	expect := func(name string) {
		select {
		case leader := <-leads:
			if leader != name {
				check("lead", fmt.Errorf("%s instead of %s", leader, name))
			}
		case <-ctx.Done():
			check("lead", ctx.Err())
		}
	}
	expect("first")
	go elect(ctx, "second")
	stop()
	expect("second")
	check("lead one after the other", nil)
}
