/** Row L6: a whole installation that is well, and each way in which it can be broken, by real stubs. */
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Check, type Finding, runChecks } from '../../../../services/cli/doctor/check.ts';
import { exitCodeOf, doctorText } from '../../../../services/cli/doctor/doctor.ts';
import { connectRedis } from '../../../../shared/store/redis.ts';
import { reply, toolUse } from '../../../sim/messages/reply.ts';
import { freePort } from '../../../support/redis.ts';
import {
  amiss,
  type Broken,
  cage,
  install,
  isNamed,
  look,
  MODEL_KEY,
  never,
  standBench,
  stub,
  world,
} from '../doctor-bench.ts';
import { runCli } from '../run-cli.ts';

standBench();

describe('an installation that is well', () => {
  it('has nothing but fine lines, one for each thing that was looked at', async () => {
    const findings = await look();
    // As root, and without a cage, there is something to say about the machine itself.
    const elsewhere = findings.filter(({ check }) => !['account', 'cage'].includes(check));
    expect(elsewhere.filter(({ level }) => level !== 'ok')).toEqual([]);
    expect([...new Set(findings.map(({ check }) => check))]).toEqual([
      'configuration',
      'node',
      'git',
      'account',
      'data folder',
      'cage',
      'redis',
      'forge sim',
      'model',
    ]);
    expect(findings.find(({ text }) => text.startsWith('the bot is'))?.text).toMatch(
      /^the bot is fixpoint \(id \d+\)$/,
    );
    expect(exitCodeOf(findings)).toBe(0);
    // Nothing was paid for.
    expect(world.model.requests.filter(({ method }) => method === 'POST')).toEqual([]);
  });

  it('lists the external programs of a project, and misses a reviewer that must review', async () => {
    const client = (name: string, role: string): string =>
      `[[messages.client]]\nname = "${name}"\nrole = "${role}"\nmatch = ["shop-team/*"]\nfolder = "${name}"\n`;
    const seen = async (more: string): Promise<readonly string[]> =>
      (await look({ more }))
        .filter(({ text }) => /external programs|messages\.client/.test(text))
        .map(({ level, text }) => `${level} ${text}`);
    const runner = '[[project]]\nmatch = ["shop-team/shop"]\nreview.runner = "messages"\n';
    expect(await seen(`${client('ann', 'author')}${client('rex', 'reviewer')}`)).toEqual([
      'ok shop-team/shop: external programs: author ann',
    ]);
    expect(await seen(`${client('ann', 'author')}${client('rex', 'reviewer')}${runner}`)).toEqual([
      'ok shop-team/shop: external programs: reviewer rex, author ann',
    ]);
    const elsewhere = client('rex', 'reviewer').replace('match = ["shop-team/*"]', 'forge = "sim"\nproject_id = 999');
    expect(await seen(`${elsewhere}${runner}`)).toEqual([
      'fail shop-team/shop: review.runner is "messages", and no [[messages.client]] of this project is a reviewer, so every review fails',
    ]);
  });

  it.skipIf(cage === null)('has a cage that holds', async () => {
    const findings = await look({ machine: { searchPath: process.env['PATH'] ?? '' } });
    expect(findings.filter(({ check }) => check === 'cage')).toEqual([
      { check: 'cage', level: 'ok', text: 'works', fix: null },
    ]);
  });
});

const BROKEN: readonly Broken[] = [
  [
    'an old git',
    async () => {
      const git = await stub('git', 'echo git version 2.30.2');
      return { machine: { gitPath: () => git } };
    },
    'git',
    'fail',
    /git 2\.30\.2 is too old; at least 2\.39\.5 is required/,
    /install git 2\.39\.5 or newer/,
  ],
  [
    'an old Node',
    async () => ({ machine: { nodeVersion: '18.20.4' } }),
    'node',
    'fail',
    /18\.20\.4/,
    /install Node 20/,
  ],
  [
    'root without setpriv',
    async () => ({ machine: { uid: 0, isProgram: () => false } }),
    'account',
    'fail',
    /root without setpriv/,
    /under its own account, or install util-linux/,
  ],
  [
    'no bubblewrap',
    async () => ({}),
    'cage',
    'warn',
    /bubblewrap \(bwrap\) is not installed: Bash, validation commands and analyzers are disabled/,
    /apt-get install bubblewrap/,
  ],
  [
    'no bubblewrap where one is required',
    async () => ({ more: '[sandbox]\nrequired = true' }),
    'cage',
    'fail',
    /sandbox\.required is set, so services do not start/,
    /apt-get install bubblewrap/,
  ],
  [
    'user namespaces that are refused',
    async () => {
      const says = 'bwrap: No permissions to create new namespace, likely because the kernel does not allow it';
      const bwrap = await stub('bwrap', `echo '${says}' >&2; exit 1`);
      return { machine: { searchPath: path.dirname(bwrap) } };
    },
    'cage',
    'warn',
    /No permissions to create new namespace/,
    /allow user namespaces: .*seccomp profile in deploy/,
  ],
  [
    'a bubblewrap that cages nothing',
    async () => {
      const bwrap = await stub('bwrap', 'while [ $# -gt 0 ] && [ "$1" != "--" ]; do shift; done; shift; exec "$@"');
      return { machine: { searchPath: path.dirname(bwrap) } };
    },
    'cage',
    'warn',
    /./,
    /install/,
  ],
  [
    'validation commands without a cage',
    async () => ({
      more: '[validation]\ncommand = [{ name = "x", command = ["/bin/true"] }]',
    }),
    'cage',
    'fail',
    /1 validation commands cannot run, so no review passes/,
    /apt-get install bubblewrap/,
  ],
  [
    'Redis that is away',
    async () => ({ redisUrl: `redis://127.0.0.1:${await freePort()}` }),
    'redis',
    'fail',
    /does not answer at the URL in REDIS_URL/,
    /start Redis/,
  ],
  [
    'a clock that is ten minutes off',
    async () => ({ machine: { nowMs: () => Date.now() + 11 * 60_000 } }),
    'forge sim',
    'fail',
    /the clocks of the forge and this machine differ by 6\d\d s/,
    /NTP/,
  ],
  [
    'a model key that is refused',
    async () => ({ env: { ANTHROPIC_API_KEY: ['another', 'key', '0123456789'].join('-') } }),
    'model',
    'fail',
    /does not accept the key \(401\)/,
    /set a valid key in ANTHROPIC_API_KEY/,
  ],
  [
    'a model that nobody knows',
    async () => ({
      more: '[agent.reviewer]\nmodel = "house-1"\n[[agent.price]]\nmodel = "house-1"\ninput_usd = 1\noutput_usd = 1',
    }),
    'model',
    'fail',
    /house-1 is not known at/,
    /agent\.reviewer\.model/,
  ],
  [
    'a model that is not reached',
    async () => ({ env: { ANTHROPIC_BASE_URL: `http://127.0.0.1:${await freePort()}` } }),
    'model',
    'fail',
    /cannot be reached/,
    /ANTHROPIC_BASE_URL/,
  ],
  [
    'no key, where a model was expected',
    async () => ({ env: { ANTHROPIC_API_KEY: '' } }),
    'configuration',
    'fail',
    /ANTHROPIC_API_KEY is not set/,
    /correct this setting/,
  ],
  [
    'a data folder that cannot be written',
    // Below a file: root cannot write there either.
    async () => ({ dataDir: path.join(await stub('data', ''), 'below') }),
    'data folder',
    'fail',
    /\/data\/below is not writable \(ENOTDIR\)/,
    /data_dir/,
  ],
  [
    'a disk that is full',
    async () => ({ machine: { freeBytes: async () => 10 * 1024 ** 2 } }),
    'data folder',
    'fail',
    /0\.0 GiB free/,
    /free some disk space/,
  ],
  [
    'a misspelt setting',
    async () => ({ more: '[rounds]\nthread_cuont = 2' }),
    'configuration',
    'fail',
    /rounds\.thread_cuont: is not a setting; did you mean "thread_count"/,
    /fixpoint\.example\.toml/,
  ],
  [
    'a CLI that is not there',
    async () => ({
      more: '[agent.claude_code]\ncommand = "/nowhere/claude"',
      edit: (toml) => toml.replace('runner = "agent"', 'runner = "claude-code"'),
    }),
    'claude-code',
    'fail',
    /\/nowhere\/claude is not an executable program/,
    /agent\.claude_code\.command/,
  ],
  [
    'a CLI for the author that is not there',
    async () => ({
      more: '[author]\nenabled = true\nagent = "claude-code"\n[agent.claude_code]\ncommand = "/nowhere/claude"',
    }),
    'claude-code',
    'fail',
    /\/nowhere\/claude is not an executable program/,
    /agent\.claude_code\.command/,
  ],
];

describe('L6: what is broken', () => {
  it.each(BROKEN)('is named with its fix: %s', isNamed);
});

describe('Redis', () => {
  it('that does not take the password is named', async () => {
    const redis = connectRedis(world.redis.url, 'worker');
    try {
      await redis.config('SET', 'requirepass', 'the-right-one');
      const url = world.redis.url.replace('redis://', 'redis://:the-wrong-one@');
      const findings = await look({ redisUrl: url });
      expect(amiss(findings, ['redis'])).toMatchObject([
        {
          level: 'fail',
          text: expect.stringContaining('does not accept the user name or the password'),
          fix: expect.stringContaining('REDIS_URL'),
        },
      ]);
      expect(JSON.stringify(findings)).not.toContain('the-wrong-one');
    } finally {
      await redis.config('SET', 'requirepass', '');
      redis.disconnect();
    }
  });

  it('that can lose jobs is named with every reason and each way out', async () => {
    const redis = connectRedis(world.redis.url, 'worker');
    try {
      await redis.config('SET', 'maxmemory-policy', 'allkeys-lru');
      await redis.config('SET', 'appendonly', 'no');
      expect(amiss(await look(), ['redis'])).toEqual([
        {
          check: 'redis',
          level: 'fail',
          text: 'maxmemory-policy is allkeys-lru',
          fix: 'set it to noeviction, or redis.allow_eviction = true to accept lost jobs',
        },
        {
          check: 'redis',
          level: 'fail',
          text: 'appendonly is off',
          fix: 'turn it on, or set redis.allow_no_persistence = true to accept lost jobs',
        },
      ]);
    } finally {
      await redis.config('SET', 'maxmemory-policy', 'noeviction');
      await redis.config('SET', 'appendonly', 'yes');
      redis.disconnect();
    }
  });
});

describe('a call of the model', () => {
  it('is made only when it is asked for, twice and small', async () => {
    world.model.script(({ turn }) =>
      turn === 0 ? reply(['Oslo', 'Lima'].map((city) => toolUse('Weather', { city }))) : reply('Sunny.'),
    );
    const findings = await look({ callModel: true });
    const seen = findings
      .filter(({ check }) => check === 'model')
      .map(({ level, text }) => [level, text.split(' ')[1]]);
    expect(seen).toEqual([
      ['ok', 'is'],
      ['ok', 'answers'],
      ['ok', 'is'],
      ['ok', 'answers'],
    ]);
    expect(world.model.requests.filter(({ method }) => method === 'POST')).toHaveLength(4);
  });
});

describe('a check', () => {
  const check = (more: Partial<Check>): Check => ({
    name: 'x',
    timeoutMs: 50,
    fix: 'mend it',
    look: async () => [],
    ...more,
  });

  it('that hangs is given up, and the others are heard', async () => {
    const hangs = check({ look: async () => new Promise(() => {}) });
    const fine = check({ name: 'y', look: async () => [{ level: 'ok', text: 'fine', fix: null }] });
    expect(await runChecks([hangs, fine], never())).toEqual([
      { check: 'x', level: 'fail', text: 'did not answer within 0.05 s', fix: 'mend it' },
      { check: 'y', level: 'ok', text: 'fine', fix: null },
    ]);
  });

  it('that breaks says so without the words of the error', async () => {
    const breaks = check({ look: async () => Promise.reject(new Error(`bad ${MODEL_KEY}`)) });
    expect(await runChecks([breaks], never())).toEqual([
      { check: 'x', level: 'fail', text: 'the check itself failed', fix: 'mend it' },
    ]);
  });
});

describe('the command', () => {
  it('prints what fails with its fix, and ends with 1', async () => {
    const { path: file, env } = await install({ more: '[rounds]\nthread_cuont = 2' });
    const run = await runCli(['doctor', '--config', file], { env: { ...env, PATH: process.env['PATH'] } });
    expect(run.code).toBe(1);
    expect(run.stdout).toMatch(
      /^FAIL {2}configuration: \S+fixpoint\.toml:\d+: rounds\.thread_cuont: .*\n {6}fix: correct this setting/m,
    );
    expect(run.stdout).toMatch(/^ok {4}node: version /m);
  });

  it('counts, keeps terminals safe, and ends with 0 as long as nothing fails', () => {
    const findings: readonly Finding[] = [
      { check: 'x', level: 'warn', text: 'bad \u001b[2J', fix: 'mend\nit' },
      { check: 'y', level: 'ok', text: 'fine', fix: null },
    ];
    expect(doctorText(findings)).toBe(
      'WARN  x: bad [U+001B][2J\n      fix: mend it\nok    y: fine\n\n0 failures, 1 warnings\n',
    );
    expect(exitCodeOf(findings)).toBe(0);
  });
});
