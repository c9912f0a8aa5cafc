import { describe, expect, it } from 'vitest';
import { readOptions, USAGE } from './options.ts';
import { PICTURE } from './pictures.ts';

const DEFAULTS = { once: false, json: false, forge: 'forgejo-15', runner: 'agent', screenshot: null };

describe('the command line of the demo', () => {
  it.each([
    [[], DEFAULTS],
    [['--once', '--json'], { ...DEFAULTS, once: true, json: true }],
    [['--forge', 'gitlab', '--runner', 'rules'], { ...DEFAULTS, forge: 'gitlab', runner: 'rules' }],
    [['--port', '3000', '--page-port', '0'], { ...DEFAULTS, port: 3000, pagePort: 0 }],
    [['--screenshot'], { ...DEFAULTS, screenshot: PICTURE }],
    [['--screenshot', 'x.png'], { ...DEFAULTS, screenshot: 'x.png' }],
  ])('reads %j', (args, wish) => {
    expect(readOptions(args)).toEqual({ kind: 'wish', wish });
  });

  it.each([
    [['--port', '70000'], '--port must be a port number'],
    [['--page-port', '-1'], "Option '--page-port' argument is ambiguous."],
    [['--page-port', 'x'], '--page-port must be a port number'],
    [['x.png'], 'unexpected argument: x.png'],
    [['--screenshot', 'x.png', 'y.png'], 'unexpected argument: y.png'],
    [['--forge', 'toString'], '--forge must be one of forgejo, gitea, gitlab'],
    [['--runner', 'human'], '--runner must be one of agent, rules'],
    [['--frob'], "Unknown option '--frob'"],
  ])('refuses %j with the reason', (args, why) => {
    expect(readOptions(args)).toEqual({ kind: 'bad', why: expect.stringContaining(why) });
  });

  it('knows --help beside anything, and its text names every option', () => {
    expect(readOptions(['--once', '-h'])).toEqual({ kind: 'help' });
    for (const name of ['once', 'json', 'page-port', 'port', 'forge', 'runner', 'screenshot', 'help'])
      expect(USAGE).toMatch(new RegExp(`^  --${name} `, 'm'));
  });
});
