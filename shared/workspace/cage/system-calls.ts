/**
 * System calls that no program in the cage needs, by their numbers on x86_64 and aarch64; null where the call does not
 * exist. Namespaces already block most of them; the filter still works if a namespace has a vulnerability.
 * Source: asm/unistd_64.h and asm-generic/unistd.h of Linux 6.1.
 */

export type Numbers = { readonly x64: number | null; readonly arm64: number | null };

const on = (x64: number | null, arm64: number | null): Numbers => ({ x64, arm64 });

export const REFUSED_CALLS: Readonly<Record<string, Numbers>> = {
  // Calls that affect other processes.
  ptrace: on(101, 117),
  process_vm_readv: on(310, 270),
  process_vm_writev: on(311, 271),
  process_madvise: on(440, 440),
  kcmp: on(312, 272),
  pidfd_getfd: on(438, 438),
  // Calls that change the view of the file system.
  mount: on(165, 40),
  umount2: on(166, 39),
  pivot_root: on(155, 41),
  chroot: on(161, 51),
  move_mount: on(429, 429),
  open_tree: on(428, 428),
  fsopen: on(430, 430),
  fsconfig: on(431, 431),
  fsmount: on(432, 432),
  fspick: on(433, 433),
  mount_setattr: on(442, 442),
  name_to_handle_at: on(303, 264),
  open_by_handle_at: on(304, 265),
  quotactl: on(179, 60),
  quotactl_fd: on(443, 443),
  swapon: on(167, 224),
  swapoff: on(168, 225),
  // Calls that create or enter namespaces. `clone` is filtered by its flags.
  unshare: on(272, 97),
  setns: on(308, 268),
  // Calls for the user's keys.
  keyctl: on(250, 219),
  add_key: on(248, 217),
  request_key: on(249, 218),
  // Calls into parts of the kernel with many past vulnerabilities.
  bpf: on(321, 280),
  perf_event_open: on(298, 241),
  userfaultfd: on(323, 282),
  fanotify_init: on(300, 262),
  lookup_dcookie: on(212, 18),
  io_uring_setup: on(425, 425),
  io_uring_enter: on(426, 426),
  io_uring_register: on(427, 427),
  move_pages: on(279, 239),
  migrate_pages: on(256, 238),
  mbind: on(237, 235),
  set_mempolicy: on(238, 237),
  nfsservctl: on(180, 42),
  uselib: on(134, null),
  ustat: on(136, null),
  sysfs: on(139, null),
  _sysctl: on(156, null),
  modify_ldt: on(154, null),
  personality: on(135, 92),
  // Calls that control the machine.
  kexec_load: on(246, 104),
  kexec_file_load: on(320, 294),
  init_module: on(175, 105),
  finit_module: on(313, 273),
  delete_module: on(176, 106),
  reboot: on(169, 142),
  sethostname: on(170, 161),
  setdomainname: on(171, 162),
  syslog: on(103, 116),
  acct: on(163, 89),
  vhangup: on(153, 58),
  settimeofday: on(164, 170),
  clock_settime: on(227, 112),
  adjtimex: on(159, 171),
  clock_adjtime: on(305, 266),
  iopl: on(172, null),
  ioperm: on(173, null),
  // Calls for networks and local services. `socketpair` is filtered by its family.
  socket: on(41, 198),
  connect: on(42, 203),
  bind: on(49, 200),
  listen: on(50, 201),
  accept: on(43, 202),
  accept4: on(288, 242),
  sendmsg: on(46, 211),
  sendmmsg: on(307, 269),
  recvmsg: on(47, 212),
  recvmmsg: on(299, 243),
  // Calls that allocate memory outside all per-process limits.
  memfd_create: on(319, 279),
  memfd_secret: on(447, 447),
  shmget: on(29, 194),
  shmat: on(30, 196),
  semget: on(64, 190),
  msgget: on(68, 186),
  mq_open: on(240, 180),
};

export const CLONE: Numbers = on(56, 220);
/** `clone3` has its flags in memory, which a filter cannot read. When it is refused, programs fall back to `clone`. */
export const CLONE3: Numbers = on(435, 435);
export const SOCKETPAIR: Numbers = on(53, 199);
export const IOCTL: Numbers = on(16, 29);

/** `set_mempolicy_home_node`. Newer calls are refused until someone has reviewed them. */
export const NEWEST_CALL = 450;
