/*
 * confine PROGRAM [ARGUMENT...]: becomes the program, with a keyring of its own and without system
 * calls that no container needs. Without arguments it only says by its exit code whether the kernel
 * takes the filter. It needs no C library, so that one file runs on every Linux of its kind.
 *
 *   keyctl, add_key, request_key        keyrings are those of a user, also of the host's
 *   open_by_handle_at                   opens files that are not in the root of the caller
 *   init_module, kexec_load, bpf, ...   put code into the kernel
 */
#include <asm/unistd.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/keyctl.h>
#include <linux/prctl.h>
#include <linux/seccomp.h>
#include <stddef.h>

#define EPERM 1
#define ENOSYS 38

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define RETURN(what) BPF_STMT(BPF_RET | BPF_K, (what))
#define FAIL(error) RETURN(SECCOMP_RET_ERRNO | (error))
#define DENY(number) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (number), 0, 1), FAIL(EPERM)

#if defined(__x86_64__)
#define NATIVE AUDIT_ARCH_X86_64
/* Programs of 32 bits, by the numbers of theirs; and numbers of a third kind, which few kernels have. */
#define OTHERS                                                                                \
  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_I386, 0, 20), LOAD(nr), DENY(286), DENY(287), \
      DENY(288), DENY(342), DENY(128), DENY(129), DENY(350), DENY(283), DENY(357),             \
      RETURN(SECCOMP_RET_ALLOW),
#define NO_THIRD_KIND BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1), FAIL(ENOSYS),
__asm__(".globl _start\n_start: xor %ebp,%ebp\n mov %rsp,%rdi\n and $-16,%rsp\n call start\n");

static long call(long number, long a, long b, long c, long d, long e) {
  long result;
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = e;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8)
                   : "rcx", "r11", "memory");
  return result;
}
#elif defined(__aarch64__)
#define NATIVE AUDIT_ARCH_AARCH64
#define OTHERS
#define NO_THIRD_KIND
__asm__(".globl _start\n_start: mov x29,#0\n mov x0,sp\n bl start\n");

static long call(long number, long a, long b, long c, long d, long e) {
  register long x8 __asm__("x8") = number;
  register long x0 __asm__("x0") = a;
  register long x1 __asm__("x1") = b;
  register long x2 __asm__("x2") = c;
  register long x3 __asm__("x3") = d;
  register long x4 __asm__("x4") = e;
  __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4) : "memory");
  return x0;
}
#else
#error "this kind of machine is not known"
#endif

static const struct sock_filter FILTER[] = {
    LOAD(arch),
    OTHERS BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, NATIVE, 1, 0),
    FAIL(ENOSYS),
    LOAD(nr),
    NO_THIRD_KIND DENY(__NR_keyctl),
    DENY(__NR_add_key),
    DENY(__NR_request_key),
    DENY(__NR_open_by_handle_at),
    DENY(__NR_init_module),
    DENY(__NR_finit_module),
    DENY(__NR_delete_module),
    DENY(__NR_kexec_load),
    DENY(__NR_kexec_file_load),
    DENY(__NR_bpf),
    RETURN(SECCOMP_RET_ALLOW),
};

static long filter(void) {
  struct sock_fprog program = {sizeof FILTER / sizeof *FILTER, (struct sock_filter *)FILTER};
  return call(__NR_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, (long)&program, 0, 0);
}

static void leave(int status, const char *words, long length) {
  call(__NR_write, 2, (long)words, length, 0, 0);
  for (;;) call(__NR_exit_group, status, 0, 0, 0, 0);
}

#define LEAVE(status, words) leave(status, words, sizeof words - 1)

void start(long *stack) {
  long count = stack[0];
  char **arguments = (char **)(stack + 1);
  char **environment = arguments + count + 1;
  if (count < 2) {
    /* Without rights of its own only a process that can never gain any may have a filter. */
    call(__NR_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    LEAVE(filter() == 0 ? 0 : 1, "");
  }
  /* Where there are no keyrings, or too many, there is still the filter. */
  call(__NR_keyctl, KEYCTL_JOIN_SESSION_KEYRING, 0, 0, 0, 0);
  if (filter() != 0) LEAVE(126, "sandbox: the kernel does not take the filter for system calls\n");
  call(__NR_execve, (long)arguments[1], (long)(arguments + 1), (long)environment, 0, 0);
  LEAVE(127, "sandbox: a program that makes it is gone\n");
}
