//! seccomp: which system calls a compiling process can make.
//!
//! A list of allowed calls, because kernels gain calls faster than anyone could forbid them. Other calls fail as
//! if the kernel did not know them (`ENOSYS`), so that the C library falls back from new calls to old ones, and a
//! missing call causes an error message instead of ending the process.

use std::{collections::BTreeMap, io};

use libc::{
    CLONE_THREAD, F_DUPFD_CLOEXEC, F_GETFD, F_GETFL, F_SETFD, F_SETFL, PR_GET_NAME, PR_SET_NAME,
    PROT_EXEC,
};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch, apply_filter,
};

use super::Protection;

/// Names memory mappings in `/proc`, which allocators do; `linux/prctl.h`.
const PR_SET_VMA: i32 = 0x5356_4d41;

/// Calls that are harmless with any arguments: memory, files within the folders, time, and synchronization of
/// threads.
const ALLOWED: &[i64] = &[
    libc::SYS_brk,
    libc::SYS_madvise,
    libc::SYS_mremap,
    libc::SYS_munmap,
    libc::SYS_read,
    libc::SYS_readv,
    libc::SYS_pread64,
    libc::SYS_write,
    libc::SYS_writev,
    libc::SYS_pwrite64,
    libc::SYS_lseek,
    libc::SYS_close,
    libc::SYS_close_range,
    libc::SYS_openat,
    libc::SYS_fstat,
    libc::SYS_newfstatat,
    libc::SYS_statx,
    libc::SYS_faccessat,
    libc::SYS_faccessat2,
    libc::SYS_getdents64,
    libc::SYS_readlinkat,
    libc::SYS_getcwd,
    libc::SYS_mkdirat,
    libc::SYS_unlinkat,
    libc::SYS_renameat,
    libc::SYS_renameat2,
    libc::SYS_flock,
    libc::SYS_ftruncate,
    libc::SYS_fallocate,
    libc::SYS_fchmod,
    libc::SYS_fadvise64,
    libc::SYS_fsync,
    libc::SYS_fdatasync,
    libc::SYS_copy_file_range,
    libc::SYS_sendfile,
    libc::SYS_ppoll,
    libc::SYS_futex,
    libc::SYS_set_robust_list,
    libc::SYS_rseq,
    libc::SYS_membarrier,
    libc::SYS_sched_yield,
    libc::SYS_sched_getaffinity,
    libc::SYS_getcpu,
    libc::SYS_nanosleep,
    libc::SYS_clock_nanosleep,
    libc::SYS_clock_gettime,
    libc::SYS_clock_getres,
    libc::SYS_gettimeofday,
    libc::SYS_getrandom,
    libc::SYS_getrusage,
    libc::SYS_sysinfo,
    libc::SYS_uname,
    libc::SYS_getpid,
    libc::SYS_gettid,
    libc::SYS_getuid,
    libc::SYS_geteuid,
    libc::SYS_getgid,
    libc::SYS_getegid,
    libc::SYS_sigaltstack,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_restart_syscall,
    libc::SYS_exit,
    libc::SYS_exit_group,
];

/// Older forms of the calls above, used by some C libraries.
#[cfg(target_arch = "x86_64")]
const OLD: &[i64] = &[
    libc::SYS_open,
    libc::SYS_stat,
    libc::SYS_lstat,
    libc::SYS_access,
    libc::SYS_readlink,
    libc::SYS_mkdir,
    libc::SYS_rmdir,
    libc::SYS_unlink,
    libc::SYS_rename,
    libc::SYS_poll,
    libc::SYS_time,
];
#[cfg(not(target_arch = "x86_64"))]
const OLD: &[i64] = &[];

/// Limits the calling thread, and threads that it starts later, to the list.
pub(super) fn restrict() -> io::Result<Protection> {
    let Ok(architecture) = TargetArch::try_from(std::env::consts::ARCH) else {
        return Ok(Protection::Missing);
    };
    let filter = SeccompFilter::new(
        rules().map_err(io::Error::other)?,
        SeccompAction::Errno(libc::ENOSYS.unsigned_abs()),
        SeccompAction::Allow,
        architecture,
    );
    let program: BpfProgram = filter.and_then(TryInto::try_into).map_err(io::Error::other)?;
    match apply_filter(&program) {
        Ok(()) => Ok(Protection::Full),
        Err(seccompiler::Error::Seccomp(error) | seccompiler::Error::Prctl(error))
            if matches!(error.raw_os_error(), Some(libc::ENOSYS | libc::EINVAL)) =>
        {
            Ok(Protection::Missing)
        }
        Err(error) => Err(io::Error::other(error)),
    }
}

fn rules() -> Result<BTreeMap<i64, Vec<SeccompRule>>, seccompiler::BackendError> {
    let mut rules: BTreeMap<_, _> =
        ALLOWED.iter().chain(OLD).map(|call| (*call, Vec::new())).collect();
    // A thread, never a process. `clone3` hides its flags behind a pointer; the C library falls back.
    let thread = CLONE_THREAD.cast_unsigned().into();
    rules.insert(libc::SYS_clone, vec![masked(0, thread, thread)?]);
    // No memory becomes executable: nothing here compiles to machine code.
    let executable = PROT_EXEC.cast_unsigned().into();
    rules.insert(libc::SYS_mmap, vec![masked(2, executable, 0)?]);
    rules.insert(libc::SYS_mprotect, vec![masked(2, executable, 0)?]);
    // Not the commands that send signals to others.
    let commands = [F_DUPFD_CLOEXEC, F_GETFD, F_SETFD, F_GETFL, F_SETFL];
    rules.insert(libc::SYS_fcntl, one_of(1, &commands)?);
    rules.insert(libc::SYS_prctl, one_of(0, &[PR_SET_NAME, PR_GET_NAME, PR_SET_VMA])?);
    // The C library reads the stack size; limits must not be raised again.
    let reads_limit = vec![is(0, 0)?, is(2, 0)?];
    rules.insert(libc::SYS_prlimit64, vec![SeccompRule::new(reads_limit)?]);
    // Ends the process itself, after a panic that can't unwind.
    let own = std::process::id().into();
    rules.insert(libc::SYS_tgkill, vec![SeccompRule::new(vec![is(0, own)?])?]);
    Ok(rules)
}

fn is(argument: u8, value: u64) -> Result<SeccompCondition, seccompiler::BackendError> {
    SeccompCondition::new(argument, SeccompCmpArgLen::Qword, SeccompCmpOp::Eq, value)
}

fn masked(argument: u8, mask: u64, value: u64) -> Result<SeccompRule, seccompiler::BackendError> {
    let operator = SeccompCmpOp::MaskedEq(mask);
    let condition = SeccompCondition::new(argument, SeccompCmpArgLen::Qword, operator, value)?;
    SeccompRule::new(vec![condition])
}

/// The kernel reads commands as 32 bits.
fn one_of(argument: u8, values: &[i32]) -> Result<Vec<SeccompRule>, seccompiler::BackendError> {
    let rule = |value: &i32| {
        let (length, value) = (SeccompCmpArgLen::Dword, value.cast_unsigned().into());
        let condition = SeccompCondition::new(argument, length, SeccompCmpOp::Eq, value)?;
        SeccompRule::new(vec![condition])
    };
    values.iter().map(rule).collect()
}
