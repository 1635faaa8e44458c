/*
 * A slot: stays, and runs one task after the other. The spawner sends tasks to its standard input.
 * The slot finishes the task it has when the spawner dies, and leaves when its input ends.
 *
 * A task is a line "NUMBER SIZE\n" and SIZE bytes of texts, each with a NUL after it:
 *
 *   working directory, input, output, errors (empty: as the output), umask (octal, or empty),
 *   limits ("RESOURCE SOFT HARD," for each, or empty), program, number of arguments, the arguments
 *   (the first is the name of the program), and the environment ("NAME=VALUE")
 *
 * Standard error is the file of the slot. It has "b NUMBER" for a task that begins, and for its end
 *
 *   [REMARK]
 *   e NUMBER STATUS USER_US SYSTEM_US MEMORY_KIB
 *
 * so that the end is known whatever else dies. The last line goes to standard output, too, without
 * the "e". STATUS is that of a shell: 128 and the number for a signal, with a remark, since exit
 * codes may be as large. A remark with another status says why the task did not begin.
 *
 * The slot leads a process group, and survives what is sent to the group except SIGKILL. All
 * processes that a task leaves behind become its children: they are killed before the end is
 * reported.
 */
#include "system-calls.h"

#include <asm/signal.h>
#include <linux/fcntl.h>
#include <linux/mman.h>
#include <linux/prctl.h>
#include <linux/resource.h>
#include <linux/sched.h>
#include <linux/wait.h>

#define EINTR 4
#define ENOEXEC 8
#define ECHILD 10
#define NOT_STARTED 127

#define MOST_BYTES (4l << 20)
#define MOST_TEXTS (MOST_BYTES / 2)

static char *body;
static char **texts;
static char input[65536];
static long input_at, input_end;

static void leave(int status) {
  for (;;) call(__NR_exit_group, status, 0, 0, 0, 0);
}

static long read_input(char *to, long size) {
  if (input_at == input_end) {
    /* Large bodies are read to where they belong. */
    int is_large = size >= (long)sizeof input;
    long count;
    do {
      char *at = is_large ? to : input;
      count = call(__NR_read, 0, (long)at, is_large ? size : (long)sizeof input, 0, 0);
    } while (count == -EINTR);
    if (count <= 0) leave(0);
    if (is_large) return count;
    input_at = 0;
    input_end = count;
  }
  long count = input_end - input_at < size ? input_end - input_at : size;
  memcpy(to, input + input_at, (size_t)count);
  input_at += count;
  return count;
}

static long read_number(char end) {
  long value = 0;
  for (char each;;) {
    read_input(&each, 1);
    if (each == end) return value;
    value = value * 10 + (each - '0');
  }
}

struct task {
  long number;
  const char *directory, *input, *output, *errors, *mask, *limits, *program;
  char **arguments, **environment;
};

static unsigned long parse(const char **text, unsigned base) {
  unsigned long value = 0;
  for (; **text >= '0' && **text <= '9'; (*text)++)
    value = value * base + (unsigned long)(**text - '0');
  if (**text) (*text)++;
  return value;
}

static struct task read_task(void) {
  struct task task = {.number = read_number(' ')};
  long size = read_number('\n');
  if (size >= MOST_BYTES) leave(1);
  for (long have = 0; have < size;) have += read_input(body + have, size - have);
  const char *fields[8];
  char *at = body, *end = body + size;
  for (int each = 0; each < 8; each++) {
    fields[each] = at;
    at += length(at) + 1;
  }
  task.directory = fields[0], task.input = fields[1], task.output = fields[2];
  task.errors = fields[3], task.mask = fields[4], task.limits = fields[5], task.program = fields[6];
  long count = (long)parse(&fields[7], 10);
  /* The first one is for a shell, if the program is a script that names none. */
  long used = 1;
  task.arguments = texts + used;
  for (; at < end; at += length(at) + 1) {
    if (count-- == 0) {
      texts[used++] = 0;
      task.environment = texts + used;
    }
    texts[used++] = at;
  }
  if (count >= 0) {
    texts[used++] = 0;
    task.environment = texts + used;
  }
  texts[used] = 0;
  return task;
}

/* What kept the last task from beginning. The child shares the memory of the slot until then. */
static volatile struct {
  const char *what, *path;
  long error;
} problem;

static void fail(const char *what, const char *path, long error) {
  problem.what = what;
  problem.path = path;
  problem.error = -error;
  leave(NOT_STARTED);
}

static void open_as(int wanted, const char *path, int flags) {
  long opened = call(__NR_openat, AT_FDCWD, (long)path, flags | O_CLOEXEC, 0600, 0);
  if (opened < 0) fail("cannot open ", path, opened);
  call(__NR_dup3, opened, wanted, 0, 0, 0);
}

static void set_limits(const char *text) {
  while (*text) {
    unsigned long resource = parse(&text, 10);
    unsigned long soft = *text == '-' ? (text += 2, ~0ul) : parse(&text, 10);
    unsigned long hard = *text == '-' ? (text += 2, ~0ul) : parse(&text, 10);
    struct rlimit64 limit = {soft, hard};
    call(__NR_prlimit64, 0, (long)resource, (long)&limit, 0, 0);
  }
}

/* Runs in the child: it shares memory with the slot, but no files, directory, umask and limits. */
static void become(const struct task *task) {
  long done = call(__NR_chdir, (long)task->directory, 0, 0, 0, 0);
  if (done < 0) fail("working directory ", task->directory, done);
  open_as(0, task->input, O_RDONLY);
  open_as(1, task->output, O_WRONLY | O_APPEND | O_CREAT);
  if (*task->errors) open_as(2, task->errors, O_WRONLY | O_APPEND | O_CREAT);
  else call(__NR_dup3, 1, 2, 0, 0, 0);
  const char *mask = task->mask;
  if (*mask) call(__NR_umask, (long)parse(&mask, 8), 0, 0, 0, 0);
  set_limits(task->limits);
  char **arguments = task->arguments;
  long environment = (long)task->environment;
  long error = call(__NR_execve, (long)task->program, (long)arguments, environment, 0, 0);
  if (error == -ENOEXEC) {
    arguments[0] = (char *)task->program;
    arguments[-1] = "sh";
    error = call(__NR_execve, (long)"/bin/sh", (long)(arguments - 1), environment, 0, 0);
  }
  fail("exec: ", task->program, error);
}

static __attribute__((noinline)) long begin(const struct task *task) {
  problem.what = 0;
  /* The slot waits until the child has become another program: nothing is copied. */
  long child = call(__NR_clone, CLONE_VM | CLONE_VFORK | SIGCHLD, 0, 0, 0, 0);
  if (child == 0) become(task);
  return child;
}

/* Kills what is left of a task. A process whose parent dies becomes a child of the slot. */
static void end_children(void) {
  static char children[65536];
  for (;;) {
    long reaped = call(__NR_wait4, -1, 0, WNOHANG, 0, 0);
    if (reaped == -ECHILD) return;
    if (reaped != 0) continue;
    const char *list = "/proc/thread-self/children";
    long file = call(__NR_openat, AT_FDCWD, (long)list, O_RDONLY | O_CLOEXEC, 0, 0);
    long size = file < 0 ? 0 : call(__NR_read, file, (long)children, sizeof children - 1, 0, 0);
    call(__NR_close, file, 0, 0, 0, 0);
    /* A kernel that does not list them: the spawner looks for them. */
    if (size <= 0) return;
    children[size] = 0;
    for (const char *at = children; *at;) {
      long pid = (long)parse(&at, 10);
      /* The list may be cut off in the middle of a number. */
      if (at[-1] == ' ') call(__NR_kill, pid, SIGKILL, 0, 0, 0);
    }
    call(__NR_wait4, -1, 0, 0, 0, 0);
  }
}

static char note[8192];
static long note_size;

static void add(const char *text) {
  for (; *text && note_size < (long)sizeof note - 512; text++) note[note_size++] = *text;
}

static void add_number(long number) {
  char digits[24], *at = digits + sizeof digits - 1;
  *at = 0;
  do *--at = (char)('0' + number % 10);
  while (number /= 10);
  add(at);
  add(" ");
}

static void write_note(int file, long from) {
  for (long at = from; at < note_size;) {
    long count = call(__NR_write, file, (long)(note + at), note_size - at, 0, 0);
    if (count == -EINTR) continue;
    if (count <= 0) return;
    at += count;
  }
}

static void add_problem(void) {
  add(problem.what);
  add(problem.path);
  add(": ");
  const char *known = reason(problem.error);
  if (known) add(known);
  else add("error "), add_number(problem.error);
  add("\n");
}

static void run(const struct task *task) {
  note_size = 0;
  add("b "), add_number(task->number);
  note[note_size - 1] = '\n';
  write_note(2, 0);
  long child = begin(task), status = NOT_STARTED << 8;
  struct rusage used = {0};
  if (child < 0) {
    problem.what = "fork", problem.path = "", problem.error = -child;
  } else {
    long ended;
    do ended = call(__NR_wait4, -1, (long)&status, 0, (long)&used, 0);
    while (ended != child && ended != -ECHILD);
    end_children();
  }
  note_size = 0;
  int signal = (int)(status & 0x7f);
  if (problem.what) add_problem();
  else if (signal) add("signal\n");
  add("e ");
  long told = note_size;
  add_number(task->number);
  add_number(signal ? 128 + signal : (status >> 8) & 0xff);
  add_number(used.ru_utime.tv_sec * 1000000 + used.ru_utime.tv_usec);
  add_number(used.ru_stime.tv_sec * 1000000 + used.ru_stime.tv_usec);
  add_number(used.ru_maxrss);
  note[note_size - 1] = '\n';
  write_note(2, 0);
  write_note(1, told);
}

/* Tasks do not inherit handlers, only that a signal is ignored. */
static void on_signal(int signal) { (void)signal; }

#ifdef __x86_64__
__asm__("restore: mov $15,%eax\n syscall\n");
extern void restore(void);
#endif

static void *reserve(long size) {
  long at = call(__NR_mmap, 0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
  if (at < 0 && at > -4096) leave(1);
  return (void *)at;
}

void start(long *stack) {
  if (stack[0] > 1) leave(0);
  struct {
    void (*handler)(int);
    unsigned long flags;
#ifdef __x86_64__
    void (*restorer)(void);
#endif
    unsigned long mask;
  } action = {.handler = on_signal,
#ifdef __x86_64__
              .flags = SA_RESTART | 0x04000000,
              .restorer = restore,
#else
              .flags = SA_RESTART,
#endif
              .mask = 0};
  static const int SURVIVED[] = {SIGTERM, SIGINT, SIGQUIT, SIGHUP, SIGUSR1, SIGUSR2, SIGPIPE};
  for (unsigned each = 0; each < sizeof SURVIVED / sizeof *SURVIVED; each++)
    call(__NR_rt_sigaction, SURVIVED[each], (long)&action, 0, 8, 0);
  call(__NR_prctl, PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  body = reserve(MOST_BYTES);
  texts = reserve(MOST_TEXTS * (long)sizeof(char *));
  for (;;) {
    struct task task = read_task();
    run(&task);
  }
}
