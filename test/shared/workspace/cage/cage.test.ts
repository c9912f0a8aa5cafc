/** What a program in the cage can do, tried with programs of this machine. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Cage, CagedArgv, CagedCommand, CageResult } from '../../../../shared/workspace/cage/cage.ts';
import { ProcessStartError } from '../../../../shared/workspace/process/command.ts';
import { findTestCage, processesWith } from '../../../support/cage.ts';

const { cage: found, folder, workspace, dispose, why } = await findTestCage();
afterAll(dispose);

const never = (): AbortSignal => new AbortController().signal;

const run = (argv: CagedArgv, more: Partial<CagedCommand> = {}): Promise<CageResult> => {
  // Nothing below runs without one.
  const cage = found as Cage;
  return cage.run(argv, { workspace, timeoutMs: 20_000, outputBytes: 64 * 1024, signal: never(), ...more });
};
const shell = (script: string, more?: Partial<CagedCommand>) => run(['/usr/bin/sh', '-c', script], more);
const perl = (script: string, more?: Partial<CagedCommand>) => run(['/usr/bin/perl', '-e', script], more);
const said = ({ stdout }: CageResult): string => stdout.toString('utf8');

describe.skipIf(found === null)(`a command in the cage${why}`, () => {
  beforeAll(() => {
    writeFileSync(join(workspace, 'a.txt'), 'in the workspace\n');
    mkdirSync(join(workspace, 'sub'));
    writeFileSync(join(workspace, 'sub', 'b.txt'), 'below\n');
  });

  it('sees the workspace, and gets its words and its end back', async () => {
    expect(await run(['/usr/bin/cat', 'a.txt'])).toEqual({
      code: 0,
      signal: null,
      stdout: Buffer.from('in the workspace\n'),
      stderr: '',
      truncated: false,
      timedOut: false,
    });
    expect(await shell('cat; echo bad >&2; exit 7', { stdin: Buffer.from('given') })).toMatchObject({
      code: 7,
      stdout: Buffer.from('given'),
      stderr: 'bad\n',
    });
    expect(said(await run(['/usr/bin/cat', 'b.txt'], { cwd: '/workspace/sub' }))).toBe('below\n');
  });

  it('writes to a workspace that it may write to, as far as its account may, and to nothing beside it', async () => {
    const given = join(folder, 'given');
    mkdirSync(given);
    chmodSync(given, 0o777);
    const script = 'echo kept > kept; echo x > /workspace/../out; echo x > /usr/bin/out; mv kept moved; cat moved';
    const result = await shell(script, { workspace: given, isWritable: true });
    expect([said(result), readdirSync(given)]).toEqual(['kept\n', ['moved']]);
    expect([existsSync('/out'), existsSync('/usr/bin/out')]).toEqual([false, false]);
    expect((await shell('echo x > kept', { workspace: given })).stderr).toContain('Read-only');
  });

  it('sees what is bound beside the workspace, and cannot write to it', async () => {
    const other = join(folder, 'other');
    mkdirSync(other);
    chmodSync(other, 0o777);
    writeFileSync(join(other, 'c.txt'), 'bound');
    const result = await shell('cat /other/c.txt; echo x > /other/d', { binds: [{ from: other, to: '/other' }] });
    expect([said(result), existsSync(join(other, 'd'))]).toEqual(['bound', false]);
  });

  it('F-T23: writes no core file and opens a limited number of files', async () => {
    const limits = await shell('ulimit -Hc; ulimit -Sc; ulimit -Hn; ulimit -Sn');
    expect(said(limits).trim().split('\n')).toEqual(['0', '0', '256', '256']);
  });

  it('has four variables and what it is given, and three descriptors', async () => {
    const result = await run(['/usr/bin/env'], { env: { TOKENLESS: '1' } });
    expect(said(result).trim().split('\n').toSorted()).toEqual([
      'HOME=/nonexistent',
      'LANG=C.UTF-8',
      'PATH=/usr/bin:/bin',
      'PWD=/workspace',
      'TOKENLESS=1',
    ]);
    // What the tests were started with may stand there as `/dev/null`.
    const open = await perl('for my $fd (3 .. 255) { if (open(my $in, "<&=", $fd)) { -c $in or print "$fd " } }');
    expect(said(open)).toBe('');
  });

  it('that a signal ended has 128 and the signal, and one that is not there 127', async () => {
    expect(await shell('kill -9 $$')).toMatchObject({ code: 137, signal: null });
    expect(await run(['/usr/bin/there-is-none'])).toMatchObject({ code: 127 });
  });

  it('throws when there could be no cage, which is not an end of the program', async () => {
    const failed = run(['/usr/bin/true'], { workspace: join(folder, 'nowhere') });
    await expect(failed).rejects.toThrow(ProcessStartError);
    await expect(run(['/usr/bin/true'], { workspace: join(folder, 'nowhere') })).rejects.toMatchObject({
      code: 'CAGE_NOT_STARTED',
    });
  });

  describe('T11', () => {
    beforeAll(() => {
      chmodSync(workspace, 0o777);
      mkdirSync(join(folder, 'neighbour'));
      writeFileSync(join(folder, 'neighbour', 'file'), 'of another review');
      symlinkSync('/etc/passwd', join(workspace, 'passwd'));
      symlinkSync(join(folder, 'neighbour'), join(workspace, 'next'));
    });
    afterAll(() => chmodSync(workspace, 0o755));

    it.each([
      ['write to the workspace', 'echo x > /workspace/new'],
      ['write to a file of the workspace', 'echo x >> /workspace/a.txt'],
      ['delete from the workspace', 'rm -f /workspace/a.txt'],
      ['write to the root', 'echo x > /new'],
      ['write to the programs of the machine', 'echo x > /usr/bin/new'],
      ['write to the devices', 'echo x > /dev/new'],
      ['mount the workspace writable', '/usr/bin/mount -o remount,rw,bind /workspace'],
      ['mount a file system', '/usr/bin/mount -t tmpfs none /tmp'],
      ['unmount the workspace', '/usr/bin/umount -l /workspace'],
      ['make namespaces', '/usr/bin/unshare --user --map-root-user true'],
      ['make a mount namespace', '/usr/bin/unshare --mount true'],
      ['become root', '/usr/bin/setpriv --reuid 0 true'],
      ['raise its limit of processes', '/usr/bin/prlimit --nproc=100000 true'],
      ['read the accounts of the machine', 'cat /etc/passwd'],
      ['read the accounts of the machine through a link', 'cat passwd'],
      ['read another workspace', `cat ${folder}/neighbour/file`],
      ['read another workspace through a link', 'cat next/file'],
      ['list the home of root', 'ls /root'],
      ['list what runs', 'ls /proc/1'],
      ['list the kernel', 'ls /sys/kernel'],
      ['list its own descriptors', 'ls /dev/fd/0'],
    ])('cannot %s', async (_, script) => {
      const result = await shell(script);
      expect([result.code === 0, said(result)]).toEqual([false, '']);
      expect(readFileSync(join(workspace, 'a.txt'), 'utf8')).toBe('in the workspace\n');
    });

    it('cannot send a signal to a process outside, or know that there is one', async () => {
      const result = await perl(
        `kill(0, ${process.pid}, ${process.ppid}) and print "seen"; print $!{ESRCH} ? "" : "no"`,
      );
      expect(said(result)).toBe(process.pid > 64 ? '' : 'no');
      expect(said(await shell('echo $$'))).toMatch(/^[2-9]\n$/);
    });

    it('reaches no listener of the machine, whatever its address', async () => {
      let connections = 0;
      const token = randomUUID();
      const servers = [{ port: 0, host: '127.0.0.1' }, { path: `\0${token}` }, { path: join(folder, 's') }];
      const open = servers.map((at) => createServer(() => void (connections += 1)).listen(at));
      await Promise.all(open.map(async (server) => once(server, 'listening')));
      chmodSync(join(folder, 's'), 0o777);
      const address = open[0]?.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      const script = `use Socket; for my $to ([AF_INET, pack_sockaddr_in(${port}, inet_aton("127.0.0.1"))],
        [AF_UNIX, pack_sockaddr_un("\\0${token}")], [AF_UNIX, pack_sockaddr_un("${folder}/s")], [AF_INET6, ""], [AF_NETLINK ? 16 : 16, ""]) {
        print socket(my $s, $to->[0], SOCK_STREAM, 0) ? "made " : "$!{EPERM} " }`.replace('AF_NETLINK ? 16 : 16', '16');
      expect(said(await perl(script))).toBe('1 1 1 1 1 ');
      expect(connections).toBe(0);
      for (const server of open) server.close();
    });

    it('has a /tmp of its own with a size, which the next cage does not see', async () => {
      const copied = await shell(
        'cp /usr/bin/perl /tmp/one && for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do cp /tmp/one /tmp/$i || exit 3; done',
      );
      expect(copied).toMatchObject({ code: 3 });
      expect(copied.stderr).toContain('No space left on device');
      expect(said(await shell('for file in one 1 2; do [ -e /tmp/$file ] && echo seen; done'))).toBe('');
    });
  });

  describe('T13', () => {
    const limits = { timeoutMs: 500, outputBytes: 1_000_000 };
    let token: string;
    const left = () => processesWith(token);

    it.each([
      ['a fork bomb', (id: string) => `# ${id}\nwhile (1) { fork() }`],
      ['a busy loop', (id: string) => `# ${id}\n1 while 1`],
      [
        'a child that sleeps',
        (id: string) => `# ${id}\nfork() or exec("/usr/bin/sleep", "1000000000"); sleep 1000000000`,
      ],
      [
        'a child that has left its group',
        (id: string) =>
          `# ${id}\nuse POSIX; fork() or do { POSIX::setsid(); close(STDOUT); close(STDERR); sleep 1000000000 }; sleep 1000000000`,
      ],
      [
        'children that are deaf',
        (id: string) => `# ${id}\n$SIG{$_} = "IGNORE" for qw(TERM INT HUP QUIT PIPE); fork(); sleep 1 while 1`,
      ],
    ])('is killed in time with everything in it: %s', async (_, script) => {
      token = randomUUID();
      const result = await perl(script(token), limits);
      expect(result).toMatchObject({ timedOut: true, code: null });
      expect(left()).toEqual([]);
    });

    it('ends with the program, whatever it has started', async () => {
      token = randomUUID();
      const script = `# ${token}\nuse POSIX; fork() or do { POSIX::setsid(); close(STDOUT); close(STDERR); close(STDIN); sleep 1000000000 }; print "done"`;
      const result = await perl(script);
      expect([said(result), left()]).toEqual(['done', []]);
    });

    it('gets no four gigabytes, and not more than its limit', async () => {
      const take = (bytes: number) => perl(`my $all = "x" x ${bytes}; print "had them"`);
      const [little, more, four] = [await take(300_000_000), await take(1_500_000_000), await take(4_000_000_000)];
      expect([said(little), said(more), said(four)]).toEqual(['had them', '', '']);
    });

    it('gets no more processes than its limit, counted for itself alone', async () => {
      const count = 'my $made = 0; while (defined(my $id = fork())) { $id or sleep 1000000000; $made++ } print $made';
      const both = await Promise.all([perl(count, { timeoutMs: 15_000 }), perl(count, { timeoutMs: 15_000 })]);
      for (const result of both) {
        expect(Number(said(result))).toBeGreaterThan(30);
        expect(Number(said(result))).toBeLessThan(64);
      }
    });

    it('writes no file larger than sixteen megabytes', async () => {
      const write = (megabytes: number) =>
        perl(
          `open(my $out, ">", "/tmp/x"); for (1 .. ${megabytes}) { syswrite($out, "x" x 1_048_576) or exit 3 } print -s $out`,
        );
      const [fits, large] = [await write(16), await write(17)];
      expect([said(fits), said(large), large.code === 0]).toEqual([String(16 * 1_048_576), '', false]);
    });

    it('is cut at its output, at little cost, and killed', async () => {
      token = randomUUID();
      const before = process.memoryUsage().rss;
      const result = await perl(`# ${token}\nprint "x" x 1_000_000 while 1`, {
        timeoutMs: 20_000,
        outputBytes: 1_000_000,
      });
      expect(result).toMatchObject({ truncated: true, timedOut: false });
      expect(result.stdout.length).toBe(1_000_000);
      expect(process.memoryUsage().rss - before).toBeLessThan(50 * 1024 * 1024);
      expect(left()).toEqual([]);
    });

    it('keeps sixteen kilobytes of what goes to standard error, and goes on', async () => {
      const result = await perl('print STDERR "x" x 1_000_000; print "end"');
      expect([result.stderr.length, said(result)]).toEqual([16 * 1024, 'end']);
    });

    it('dies with an abort, which throws its reason', async () => {
      token = randomUUID();
      const abort = new AbortController();
      const reason = new Error('the review was superseded');
      const running = perl(`# ${token}\nsleep 1000000000`, { signal: abort.signal });
      await expect.poll(() => left().length, { timeout: 10_000 }).toBeGreaterThan(0);
      abort.abort(reason);
      await expect(running).rejects.toBe(reason);
      expect(left()).toEqual([]);
      await expect(perl('print 1', { signal: abort.signal })).rejects.toBe(reason);
    });
  });
});
