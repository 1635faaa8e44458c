/*
 * The steps of a sandbox that need rights and touch files of the container. A shell would run the
 * container's own programs and libraries for them, with the rights of the server. This program
 * needs no library and looks up every path inside the root of the container.
 *
 *   confine check                    exits with 0 if the kernel supports all of the below
 *   confine mount ROOT TABLE         attaches volumes below ROOT: see `mount_all`
 *   confine enter OPTIONS -- PROGRAM [ARGUMENT...]
 *
 * "enter" becomes PROGRAM inside a root, with a keyring of its own:
 *
 *   -rROOT    the root
 *   -dDIR     the working directory, entered with the rights of the container
 *   -cHEX     the capabilities that remain, as a mask; also filters system calls. Without it the
 *             container is privileged.
 *   -uUID -gGID -GGID,GID...         user, group and other groups; without -u they stay
 *   -i        a namespace of its own for System V messages
 *   -n        no program gains rights when it is executed
 *
 * The kernel denies user namespaces to all processes inside a root. The filter denies:
 *
 *   keyctl, add_key, request_key        keyrings belong to a user, also to users of the host
 *   open_by_handle_at                   opens files outside the root of the caller
 *   init_module, kexec_load, bpf, ...   put code into the kernel
 *   ioprio_set for other processes      would slow down later containers in the same seat
 *   fcntl with F_SETLEASE               would block the server when it opens a log
 */
#include "system-calls.h"

#include <asm/stat.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/fcntl.h>
#include <linux/filter.h>
#include <linux/keyctl.h>
#include <linux/mman.h>
#include <linux/mount.h>
#include <linux/openat2.h>
#include <linux/prctl.h>
#include <linux/sched.h>
#include <linux/seccomp.h>

#define EPERM 1
#define ENOENT 2
#define ENOEXEC 8
#define EAGAIN 11
#define EACCES 13
#define EEXIST 17
#define ENOTDIR 20
#define ENAMETOOLONG 36
#define ENOSYS 38
#define ELOOP 40
#define REGULAR_FILE 0100000

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define RETURN(what) BPF_STMT(BPF_RET | BPF_K, (what))
#define FAIL(error) RETURN(SECCOMP_RET_ERRNO | (error))
#define IS(value, yes, no) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), (yes), (no))
#define DENY(number) IS(number, 0, 1), FAIL(EPERM)
/* These end with the number of the call loaded again, for the next rule. */
#define DENY_OTHERS(number) \
  IS(number, 0, 6), LOAD(args[0]), IS(1, 0, 2), LOAD(args[1]), IS(0, 1, 0), FAIL(EPERM), LOAD(nr)
#define DENY_LEASES(number) \
  IS(number, 0, 4), LOAD(args[1]), IS(F_SETLEASE, 0, 1), FAIL(EPERM), LOAD(nr)

#if defined(__x86_64__)
#define NATIVE AUDIT_ARCH_X86_64
/* 32-bit programs, with their own call numbers; and the x32 numbers that few kernels have. */
#define OTHER_KINDS                                                                            \
  IS(AUDIT_ARCH_I386, 0, 37), LOAD(nr), DENY(286), DENY(287), DENY(288), DENY(342), DENY(128), \
      DENY(129), DENY(350), DENY(283), DENY(357), DENY_OTHERS(289), DENY_LEASES(55),           \
      DENY_LEASES(221),                                                                        \
      RETURN(SECCOMP_RET_ALLOW),
#define NO_X32 BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1), FAIL(ENOSYS),
#elif defined(__aarch64__)
#define NATIVE AUDIT_ARCH_AARCH64
#define OTHER_KINDS
#define NO_X32
#endif

static const struct sock_filter FILTER[] = {
    LOAD(arch),
    OTHER_KINDS IS(NATIVE, 1, 0),
    FAIL(ENOSYS),
    LOAD(nr),
    NO_X32 DENY(__NR_keyctl),
    DENY(__NR_add_key),
    DENY(__NR_request_key),
    DENY(__NR_open_by_handle_at),
    DENY(__NR_init_module),
    DENY(__NR_finit_module),
    DENY(__NR_delete_module),
    DENY(__NR_kexec_load),
    DENY(__NR_kexec_file_load),
    DENY(__NR_bpf),
    DENY_OTHERS(__NR_ioprio_set),
    DENY_LEASES(__NR_fcntl),
    RETURN(SECCOMP_RET_ALLOW),
};

static long filter(void) {
  struct sock_fprog program = {sizeof FILTER / sizeof *FILTER, (struct sock_filter *)FILTER};
  return call(__NR_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, (long)&program, 0, 0);
}

static void print(const char *text) { call(__NR_write, 2, (long)text, length(text), 0, 0); }

static void print_number(long number) {
  char digits[24], *at = digits + sizeof digits - 1;
  *at = 0;
  do *--at = (char)('0' + number % 10);
  while (number /= 10);
  print(at);
}

/* Prints one line and exits. The error is what a system call returned: negative, or 0 for none. */
static void leave(int status, const char *what, const char *path, long error) {
  print("sandbox: ");
  print(what);
  print(path);
  if (error < 0) {
    print(": ");
    if (reason(-error)) print(reason(-error));
    else print("error "), print_number(-error);
  }
  print("\n");
  for (;;) call(__NR_exit_group, status, 0, 0, 0, 0);
}

static long resolve(long root, const char *path, unsigned long flags, unsigned long rules) {
  struct open_how how = {flags | O_CLOEXEC, 0, RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS | rules};
  long found;
  /* The kernel asks for another try if something on the way was renamed meanwhile. */
  do found = call(__NR_openat2, root, (long)path, (long)&how, sizeof how, 0);
  while (found == -EAGAIN);
  return found;
}

static long look_up(long root, const char *path, unsigned long flags) {
  return resolve(root, path, flags, 0);
}

#define MOST_LINKS 40
#define LONGEST_PATH 8192

static long add(char *to, long size, const char *text, long count) {
  if (size + count >= LONGEST_PATH) return -ENAMETOOLONG;
  for (long each = 0; each < count; each++) to[size + each] = text[each];
  to[size + count] = 0;
  return size + count;
}

/*
 * Answers with the file at the path in the root, and makes what is missing of it. Links are
 * followed as the container would follow them, also those that lead to nothing.
 */
static long make(long root, const char *wanted, int is_folder, int links) {
  char path[LONGEST_PATH], target[LONGEST_PATH];
  if (links > MOST_LINKS) return -ELOOP;
  if (wanted[0] != '/') return -ENOENT;
  /* Before anything is made: the kernel takes no longer path. */
  if (length(wanted) >= LONGEST_PATH / 2) return -ENAMETOOLONG;
  long size = add(path, 0, wanted, length(wanted));
  if (size < 0) return size;
  for (long at = 1;; at++) {
    char separator = path[at];
    if (separator != '/' && separator != 0) continue;
    path[at] = 0;
    long found = look_up(root, path, O_PATH);
    if (found == -ENOENT) {
      long name = at;
      while (path[name - 1] != '/') name--;
      path[name - 1] = 0;
      long parent = look_up(root, name == 1 ? "/" : path, O_PATH | O_DIRECTORY);
      path[name - 1] = '/';
      if (parent < 0) return parent;
      long made = is_folder || separator
                      ? call(__NR_mkdirat, parent, (long)(path + name), 0755, 0, 0)
                      : call(__NR_mknodat, parent, (long)(path + name), REGULAR_FILE | 0644, 0, 0);
      long linked = 0;
      if (made == -EEXIST)
        linked = call(__NR_readlinkat, parent, (long)(path + name), (long)target, LONGEST_PATH, 0);
      call(__NR_close, parent, 0, 0, 0, 0);
      if (linked > 0) {
        path[at] = separator;
        char followed[LONGEST_PATH];
        long length_so_far = target[0] == '/' ? 0 : add(followed, 0, path, name);
        length_so_far = add(followed, length_so_far, target, linked);
        if (length_so_far > 0) length_so_far = add(followed, length_so_far, path + at, size - at);
        return length_so_far < 0 ? length_so_far : make(root, followed, is_folder, links + 1);
      }
      if (made < 0) return made;
      found = look_up(root, path, O_PATH);
    }
    path[at] = separator;
    if (found < 0 || separator == 0) return found;
    call(__NR_close, found, 0, 0, 0, 0);
  }
}

static int is_same(long file, const char *identity) {
  struct stat found;
  if (call(__NR_newfstatat, file, (long)"", (long)&found, AT_EMPTY_PATH, 0) < 0) return 0;
  unsigned long expected[2] = {0, 0};
  for (int at = 0; *identity; identity++) {
    if (*identity == ':') at = 1;
    else expected[at] = expected[at] * 10 + (unsigned long)(*identity - '0');
  }
  return found.st_dev == expected[0] && found.st_ino == expected[1];
}

static long change(long mount, unsigned long attributes, unsigned long propagation, int flags) {
  struct mount_attr how = {.attr_set = attributes, .propagation = propagation};
  return call(__NR_mount_setattr, mount, (long)"", AT_EMPTY_PATH | flags, (long)&how, sizeof how);
}

static int has(const char *flags, char flag) {
  while (*flags && *flags != flag) flags++;
  return *flags != 0;
}

struct entry {
  const char *flags, *source, *target, *identity;
};

static void attach(long root, struct entry each) {
  int is_folder = has(each.flags, 'd');
  int is_plain = has(each.flags, 'n');
  long at = has(each.flags, 'p')
                ? resolve(root, each.target, O_PATH, is_plain ? RESOLVE_NO_SYMLINKS : 0)
                : make(root, each.target, is_folder, 0);
  if ((at == -ENOENT || (at == -ELOOP && is_plain)) && has(each.flags, 'p')) return;
  if (at < 0 && has(each.flags, 'o')) return;
  if (at < 0) leave(125, "cannot make ", each.target, at);
  if (*each.source) {
    unsigned flags = OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE;
    long tree = call(__NR_open_tree, AT_FDCWD, (long)each.source, flags, 0, 0);
    if (tree < 0) leave(125, "cannot open the volume at ", each.target, tree);
    if (*each.identity && !is_same(tree, each.identity))
      leave(125, "the volume has changed at ", each.target, 0);
    long done = change(tree, 0, has(each.flags, 's') ? MS_SLAVE : MS_PRIVATE, AT_RECURSIVE);
    if (done == 0 && has(each.flags, 'r')) done = change(tree, MOUNT_ATTR_RDONLY, 0, 0);
    unsigned empty = MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH;
    if (done == 0) done = call(__NR_move_mount, tree, (long)"", at, (long)"", empty);
    if (done < 0) leave(125, "cannot mount at ", each.target, done);
    call(__NR_close, tree, 0, 0, 0, 0);
  } else if (has(each.flags, 'r')) {
    long done = change(at, MOUNT_ATTR_RDONLY, 0, has(each.flags, 'R') ? AT_RECURSIVE : 0);
    if (done < 0) leave(125, "cannot make read-only: ", each.target, done);
  }
  call(__NR_close, at, 0, 0, 0, 0);
}

/*
 * The table has four texts for each entry, each with a NUL after it: flags, source, target,
 * identity. The target is a path inside the root, and is made if it is missing. A source is
 * mounted there; without one, nothing is.
 *
 *   d  the target is a directory, otherwise a file
 *   o  if the target cannot be made, the entry is skipped
 *   p  only if the target is present
 *   n  with p: only if no part of the target is a link
 *   r  read-only
 *   R  with r and without a source: read-only with all mounts below
 *   s  mounts that the host makes below the source later appear, too
 *
 * The identity, "DEVICE:INODE" or empty, is what the source must be: somebody who can write to a
 * volume may have replaced a part of it by a link since it was looked at.
 */
static void mount_all(const char *root, const char *file) {
  long base = call(__NR_openat, AT_FDCWD, (long)root, O_PATH | O_DIRECTORY | O_CLOEXEC, 0, 0);
  long table = call(__NR_openat, AT_FDCWD, (long)file, O_RDONLY | O_CLOEXEC, 0, 0);
  struct stat found;
  if (base < 0 || table < 0 || call(__NR_fstat, table, (long)&found, 0, 0, 0) < 0)
    leave(125, "cannot read the list of mounts of ", root, base < 0 ? base : table);
  long mapped = call(__NR_mmap, 0, found.st_size + 1, PROT_READ, MAP_PRIVATE, table);
  if (mapped < 0 && mapped > -4096) leave(125, "cannot read the list of mounts of ", root, mapped);
  const char *at = (const char *)mapped, *end = at + found.st_size;
  call(__NR_umask, 0, 0, 0, 0, 0);
  while (at < end) {
    const char *fields[4];
    for (int each = 0; each < 4; each++) {
      fields[each] = at;
      at += length(at) + 1;
    }
    attach(base, (struct entry){fields[0], fields[1], fields[2], fields[3]});
  }
  call(__NR_exit_group, 0, 0, 0, 0, 0);
}

struct wanted {
  const char *root, *directory, *capabilities, *user, *group, *groups;
  int has_own_messages, keeps_rights_low;
};

static unsigned long number(const char *text, unsigned base) {
  unsigned long value = 0;
  for (; *text && *text != ','; text++)
    value = value * base + (unsigned long)(*text <= '9' ? *text - '0' : *text - 'a' + 10);
  return value;
}

#define MOST_GROUPS 4096
static unsigned groups[MOST_GROUPS];

static long become(const struct wanted *wanted) {
  long count = 0;
  for (const char *at = wanted->groups; at && *at; at++) {
    if (count == MOST_GROUPS) return -EPERM;
    groups[count++] = (unsigned)number(at, 10);
    while (at[1] && *at != ',') at++;
  }
  unsigned long user = number(wanted->user, 10), group = number(wanted->group, 10);
  long done = call(__NR_setgroups, count, (long)groups, 0, 0, 0);
  if (done == 0) done = call(__NR_setresgid, group, group, group, 0, 0);
  if (done == 0) done = call(__NR_setresuid, user, user, user, 0, 0);
  return done;
}

/* Only now: a program that is executed later must not have had more. */
static long keep(unsigned long capabilities, int is_root) {
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct data[2] = {{0, 0, 0}, {0, 0, 0}};
  call(__NR_prctl, PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  if (is_root && call(__NR_capget, (long)&header, (long)data, 0, 0, 0) < 0) return -EPERM;
  for (int half = 0; half < 2; half++) {
    data[half].permitted &= (unsigned)(capabilities >> (32 * half));
    data[half].effective = data[half].permitted;
    data[half].inheritable = 0;
  }
  return call(__NR_capset, (long)&header, (long)data, 0, 0, 0);
}

static void give_up_rights(const struct wanted *wanted) {
  unsigned long capabilities = ~0ul;
  if (wanted->capabilities) {
    capabilities = number(wanted->capabilities, 16);
    /* Needs rights that are given up below. */
    long done = filter();
    if (done < 0) leave(125, "the kernel does not accept the filter for system calls", "", done);
    for (long each = 0; each < 64; each++) {
      if ((capabilities >> each) & 1) continue;
      done = call(__NR_prctl, PR_CAPBSET_DROP, each, 0, 0, 0);
      /* The kernel has fewer of them. */
      if (done < 0 && each <= CAP_LAST_CAP) leave(125, "cannot give up capabilities", "", done);
    }
  }
  long done = wanted->user ? become(wanted) : 0;
  if (done < 0) leave(125, "cannot become user ", wanted->user, done);
  int is_root = wanted->user && number(wanted->user, 10) == 0;
  if (wanted->capabilities) done = keep(capabilities, is_root);
  if (done < 0) leave(125, "cannot give up capabilities", "", done);
  if (wanted->keeps_rights_low) done = call(__NR_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (done < 0) leave(125, "cannot forbid new privileges", "", done);
}

static char path[LONGEST_PATH];

/* A text file that is executable is for the shell, as execvp(3) has it. */
static long execute(const char *file, char **arguments, char **environment) {
  long error = call(__NR_execve, (long)file, (long)arguments, (long)environment, 0, 0);
  if (error != -ENOEXEC) return error;
  arguments[0] = (char *)file;
  /* The word before was "--" or the name of an option. */
  arguments[-1] = "sh";
  return call(__NR_execve, (long)"/bin/sh", (long)(arguments - 1), (long)environment, 0, 0);
}

static long execute_found(char **arguments, char **environment) {
  const char *name = arguments[0], *folders = "/bin:/usr/bin";
  if (has(name, '/')) return execute(name, arguments, environment);
  for (char **each = environment; *each; each++) {
    const char *text = *each;
    if (text[0] == 'P' && text[1] == 'A' && text[2] == 'T' && text[3] == 'H' && text[4] == '=')
      folders = text + 5;
  }
  long result = -ENOENT;
  for (const char *at = folders;; at++) {
    long size = 0;
    while (*at && *at != ':') {
      if (size + length(name) + 2 < (long)sizeof path) path[size++] = *at;
      at++;
    }
    if (size > 0) path[size++] = '/';
    for (long each = 0; each <= length(name); each++) path[size + each] = name[each];
    long error = execute(path, arguments, environment);
    if (error == -EACCES) result = error;
    else if (error != -ENOENT && error != -ENOTDIR) return error;
    if (*at == 0) return result;
  }
}

static void enter(const struct wanted *wanted, char **arguments, char **environment) {
  if (wanted->has_own_messages) {
    long done = call(__NR_unshare, CLONE_NEWIPC, 0, 0, 0, 0);
    if (done < 0) leave(125, "cannot make a namespace for messages", "", done);
  }
  /* If there are no keyrings, or too many, there is still the filter. */
  call(__NR_keyctl, KEYCTL_JOIN_SESSION_KEYRING, 0, 0, 0, 0);
  long done = call(__NR_chroot, (long)wanted->root, 0, 0, 0, 0);
  if (done == 0) done = call(__NR_chdir, (long)"/", 0, 0, 0, 0);
  if (done < 0) leave(125, "cannot enter the root", "", done);
  give_up_rights(wanted);
  done = call(__NR_chdir, (long)wanted->directory, 0, 0, 0, 0);
  if (done < 0) leave(125, "cannot enter the working directory ", wanted->directory, done);
  done = execute_found(arguments, environment);
  leave(done == -ENOENT ? 127 : 126, "cannot execute ", arguments[0], done);
}

static int check(void) {
  struct open_how how = {0, 0, 0};
  if (call(__NR_openat2, -1, (long)"", (long)&how, sizeof how, 0) == -ENOSYS) return 1;
  if (change(-1, 0, 0, 0) == -ENOSYS) return 1;
  /* A process without rights may have a filter only if it can never gain any. */
  call(__NR_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  return filter() == 0 ? 0 : 1;
}

void start(long *stack) {
  long count = stack[0];
  char **arguments = (char **)(stack + 1);
  char **environment = arguments + count + 1;
  char step = count < 2 ? 0 : arguments[1][0];
  if (step == 'c') {
    for (;;) call(__NR_exit_group, check(), 0, 0, 0, 0);
  }
  if (step == 'm' && count == 4) mount_all(arguments[2], arguments[3]);
  struct wanted wanted = {.root = "/", .directory = "/"};
  long at = 2;
  for (; at < count && arguments[at][0] == '-' && arguments[at][1] != '-'; at++) {
    const char *value = arguments[at] + 2;
    switch (arguments[at][1]) {
      case 'r': wanted.root = value; break;
      case 'd': wanted.directory = value; break;
      case 'c': wanted.capabilities = value; break;
      case 'u': wanted.user = value; break;
      case 'g': wanted.group = value; break;
      case 'G': wanted.groups = value; break;
      case 'i': wanted.has_own_messages = 1; break;
      case 'n': wanted.keeps_rights_low = 1; break;
      default: leave(125, "unknown option ", arguments[at], 0);
    }
  }
  if (step == 'e' && at + 1 < count) enter(&wanted, arguments + at + 1, environment);
  leave(125, "usage: confine enter OPTIONS -- PROGRAM [ARGUMENT...]", "", 0);
}
