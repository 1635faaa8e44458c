/* System calls without a C library, so that one file runs on every Linux of its processor. */
#include <asm/unistd.h>
#include <stddef.h>

#if defined(__x86_64__)
__asm__(".globl _start\n_start: xor %ebp,%ebp\n mov %rsp,%rdi\n and $-16,%rsp\n call start\n");

static inline __attribute__((always_inline)) long call(long number, long a, long b, long c, long d,
                                                       long e) {
  long result;
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = e;
  register long r9 __asm__("r9") = 0;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return result;
}
#elif defined(__aarch64__)
__asm__(".globl _start\n_start: mov x29,#0\n mov x0,sp\n bl start\n");

static inline __attribute__((always_inline)) long call(long number, long a, long b, long c, long d,
                                                       long e) {
  register long x8 __asm__("x8") = number;
  register long x0 __asm__("x0") = a;
  register long x1 __asm__("x1") = b;
  register long x2 __asm__("x2") = c;
  register long x3 __asm__("x3") = d;
  register long x4 __asm__("x4") = e;
  register long x5 __asm__("x5") = 0;
  __asm__ volatile("svc 0"
                   : "+r"(x0)
                   : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
                   : "memory");
  return x0;
}
#else
#error "no system calls are known for this processor"
#endif

/* The compiler may call these by itself. */
void *memset(void *to, int value, size_t size) {
  for (size_t at = 0; at < size; at++) ((volatile char *)to)[at] = (char)value;
  return to;
}

void *memcpy(void *to, const void *from, size_t size) {
  for (size_t at = 0; at < size; at++) ((volatile char *)to)[at] = ((const char *)from)[at];
  return to;
}

static inline long length(const char *text) {
  long count = 0;
  while (text[count]) count++;
  return count;
}

/* The words that C libraries have for the errors that users meet; 0 for others. */
static inline const char *reason(long error) {
  switch (error) {
    case 1: return "operation not permitted";
    case 2: return "no such file or directory";
    case 7: return "argument list too long";
    case 8: return "exec format error";
    case 11: return "resource temporarily unavailable";
    case 12: return "cannot allocate memory";
    case 13: return "permission denied";
    case 17: return "file exists";
    case 20: return "not a directory";
    case 21: return "is a directory";
    case 23: return "too many open files in system";
    case 24: return "too many open files";
    case 26: return "text file busy";
    case 28: return "no space left on device";
    case 30: return "read-only file system";
    case 36: return "file name too long";
    case 40: return "too many levels of symbolic links";
  }
  return 0;
}
