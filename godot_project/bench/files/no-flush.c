/* no-flush COMMAND ARGS...: runs a command in which fsync, fdatasync and sync_file_range do nothing and succeed.
 * scripts/bench.sh --files measures saves without the flush with it, as FileAccess never flushes. A system call filter:
 * a preloaded library would have no effect, as the engine makes extensions prefer their own libraries (RTLD_DEEPBIND).
 * For Linux. */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define DOES_NOTHING(call) \
  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO)

int main(int count, char **arguments) {
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      DOES_NOTHING(SYS_fsync),
      DOES_NOTHING(SYS_fdatasync),
      DOES_NOTHING(SYS_sync_file_range),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
  if (count < 2 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) {
    perror("no-flush");
    return 125;
  }
  execvp(arguments[1], arguments + 1);
  perror(arguments[1]);
  return 127;
}
