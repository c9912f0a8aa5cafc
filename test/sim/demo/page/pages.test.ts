import { describe, expect, it } from 'vitest';
import { killPage } from './kill-page.ts';
import { ended, EVIL, kill, state, step, thread } from './sample-state.ts';
import { stepPage } from './step-page.ts';

const tabsOf = (html: string): readonly string[] =>
  [...(/<nav class="tabs".*?<\/nav>/s.exec(html)?.[0].matchAll(/<li>(.*?)<\/li>/gs) ?? [])].map(([, item = '']) =>
    item
      .replaceAll(/<span class="(?:dot[^"]*|hidden)">/g, '')
      .replaceAll(/<a id="[^"]*" href="([^"]*)"( aria-current="page")?>/g, '$1$2 ')
      .replaceAll(/<[^>]*>/g, ''),
  );

describe('the tabs', () => {
  it('are one per step, the present one marked, and the kill as the last', () => {
    expect(tabsOf(stepPage(state(), 1))).toEqual([
      '/step/1 1 First review: problems to fix',
      '/step/2 aria-current="page" 2 Second: passed',
      '/kill Kill the poster',
    ]);
    expect(tabsOf(killPage(state(), 't')).at(-1)).toBe('/kill aria-current="page" Kill the poster');
  });

  it('are no links while their step is still to come', () => {
    const playing = state({ steps: [step()] });
    expect(tabsOf(stepPage(playing, 0))).toEqual([
      '/step/1 aria-current="page" 1 First review: problems to fix',
      '2 Second',
      'Kill the poster',
    ]);
  });

  it('are followed by the way back and on', () => {
    const ways = (html: string) =>
      [...html.matchAll(/rel="(prev|next)" href="([^"]*)"/g)].map(([, rel, to]) => `${rel} ${to}`);
    expect(ways(stepPage(state(), 0))).toEqual(['next /step/2']);
    expect(ways(stepPage(state(), 1))).toEqual(['prev /step/1', 'next /kill']);
    expect(ways(killPage(state(), 't'))).toEqual(['prev /step/2']);
    expect(ways(stepPage(state({ steps: [step()] }), 0))).toEqual([]);
  });
});

describe('the page of a step', () => {
  const [first, second] = [stepPage(state(), 0), stepPage(state(), 1)];

  it('shows the texts of that step only', () => {
    expect(first).toContain('<strong>1 problem</strong>');
    expect(first).not.toMatch(/Notice|Fine|No\./);
    expect(second).toContain('<strong>Fine</strong>');
    expect(second).toContain('Notice');
  });

  it('puts what the model found beside what the rules found', () => {
    const both = stepPage(
      state({ steps: [step({ threads: [thread({ id: 'F-002', rule: 'js-eval' }), thread()] })], names: ['a'] }),
      0,
    );
    expect(both).toMatch(/Found by the model <[^]*F-001[^]*Found by the rules, beside the model <[^]*F-002/);
    expect(both).toContain('found by the model');
    expect(both).toContain('rule js-eval');
  });

  it('marks what is new, and folds what did not change', () => {
    expect(second).toMatch(
      /Changed in this step <span class="soft">1 thread<[^]*<div class="said fresh"><header>[^]*?author/,
    );
    expect(second.match(/said fresh/g)).toHaveLength(1);
    expect(second).toMatch(
      /<details class="more"><summary>1 other thread, as in the step before<[^]*F-002[^]*<\/details>/,
    );
    expect(second).toContain('edited in this step');
    expect(first).not.toMatch(/fresh"|edited in this step/);
  });

  it('shows the code with the numbers of both sides', () => {
    expect(first).toContain(
      '<tr class="del"><td class="no">1</td><td class="no"></td><td class="text">- gone</td></tr>',
    );
    expect(first).toContain(
      '<tr class="add here"><td class="no"></td><td class="no">1</td><td class="text">+ if (a &lt; b) {}</td></tr>',
    );
  });

  it('has a meter with one part per step, and what each cost', () => {
    expect(first).toContain(
      'aria-valuenow="0.0200" aria-valuetext="Spent 2.0 ¢ of $0.50"><i class="now" style="width:4.00%"></i></div>',
    );
    expect(second).toContain(
      'aria-valuetext="Spent 3.0 ¢ of $0.50"><i style="width:4.00%"></i><i class="now" style="width:2.00%"></i></div>',
    );
    expect(second).toContain('<dt>this step</dt><dd>1.0 ¢</dd>');
    expect(second).toContain('<dt>of these cached</dt><dd>20 %</dd>');
    const free = { ...step().spent, modelCalls: 0, costUsd: 0 };
    expect(stepPage(state({ steps: [step({ spent: free })], names: ['a'] }), 0)).toContain('no model was called');
  });

  it('counts the threads by their state', () => {
    const threads = [
      thread(),
      thread({ state: 'vetoed' }),
      thread({ state: 'resolved' }),
      thread({ state: 'resolved' }),
    ];
    const html = stepPage(state({ steps: [step({ threads })], names: ['a'] }), 0);
    expect(html).toMatch(/<dt>open<\/dt><dd>1<.*<dt>waits for a person<\/dt><dd>1<.*<dt>resolved<\/dt><dd>2</);
  });

  it('says what is going on while its step is not over', () => {
    const html = stepPage(state({ steps: [], change: null }), 0);
    expect(html).toContain('Playing: First review');
    expect(html).toContain('<p class="hidden" role="status" id="live">Step 1 of 2 is running</p>');
    expect(html).toContain('data-live="true"');
    expect(html).toContain('http-equiv="refresh"');
    expect(first).toContain('data-live="false"');
    expect(first).not.toContain('http-equiv="refresh"');
  });
});

describe('the page of the kill', () => {
  it('has one button, with the token, and says which process it kills', () => {
    const html = killPage(state(), 'to"ken');
    expect(html).toContain('<form method="post" action="/kill"><input type="hidden" name="token" value="to&quot;ken">');
    expect(html).toContain('<button class="kill" id="kill">Kill the poster in mid-post</button>');
    expect(html).toContain('here process 4711');
    expect(html).not.toContain('<table class="counts">');
  });

  const countsIn = (html: string) =>
    [...html.matchAll(/class="times (\w+)">(\d) ×/g)].map(([, name, times]) => `${name} ${times}`);

  it('shows in the middle what is there and how much is missing, and takes no second press', () => {
    const html = killPage(state({ kill: kill() }), 't');
    expect(countsIn(html)).toEqual(['once 1', ...Array.from({ length: 6 }, () => 'none 0')]);
    expect(html).toContain('<button class="kill" id="kill" disabled>It is running …</button>');
    expect(html).toMatch(/<li class="killed"><time>1\.5 s<\/time><span>kill -9/);
    expect(html).toContain('data-live="true"');
    expect(html).toContain('id="live">kill -9 of the poster (process 4711)</p>');
  });

  it('shows at the end that each text is there once, and can do it again', () => {
    const html = killPage(state({ kill: ended }), 't');
    expect(countsIn(html)).toEqual(Array.from({ length: 7 }, () => 'once 1'));
    expect(html).toContain('id="kill">Do it again</button>');
    expect(html).toContain('<li class="done"><time>4.0 s</time>');
    expect(html).toContain('id="live">Each text is on the forge exactly once</p>');
    expect(killPage(state({ kill: ended, killsLeft: 0 }), 't')).toContain('id="kill" disabled>');
  });

  it('says why it failed, and can be tried again', () => {
    const events = [{ seconds: 2, text: 'the condition did not hold' }];
    const html = killPage(state({ kill: kill({ phase: 'failed', events }) }), 't');
    expect(html).toContain('<li class="killed"><time>2.0 s</time><span>the condition did not hold</span></li>');
    expect(html).toContain('id="kill">Do it again</button>');
    expect(html).toContain('data-live="false"');
  });

  it('shows a text that is there twice in another colour, and claims nothing', () => {
    const counts = ended.counts.map((count, at) => (at === 0 ? { ...count, times: 2 } : count));
    const html = killPage(state({ kill: { ...ended, counts } }), 't');
    expect(countsIn(html)[0]).toBe('many 2');
    expect(html).not.toContain('exactly once');
  });
});

describe('a text of a stranger', () => {
  const hostile = thread({
    path: EVIL,
    rule: EVIL,
    code: [{ kind: 'added', oldLine: null, newLine: 1, text: EVIL }],
    comments: [{ author: EVIL, body: EVIL }],
  });
  const evil = state({
    title: EVIL,
    names: [EVIL],
    steps: [
      step({
        name: EVIL,
        what: EVIL,
        verdict: EVIL,
        status: { state: EVIL, text: EVIL },
        summary: { body: EVIL, change: 'changed' },
        comments: [{ author: EVIL, body: EVIL, change: 'new' }],
        threads: [hostile, { ...hostile, change: 'same' }, { ...hostile, change: 'changed' }],
      }),
    ],
    change: { number: 1, url: `http://x/"${EVIL}` },
    kill: kill({
      url: `http://x/"${EVIL}`,
      events: [{ seconds: 1, text: EVIL }],
      counts: [{ what: EVIL, where: EVIL, times: 1 }],
    }),
  });

  it.each([
    ['a step', stepPage(evil, 0)],
    ['the kill', killPage(evil, EVIL)],
  ])('never becomes markup or a script on the page of %s', (_name, html) => {
    expect(html).toContain('&lt;img src=x onerror=alert(1)&gt;');
    expect(html).not.toMatch(/<img|href="javascript|onerror=[^&]*>(?!.*&gt;)/);
    expect(html.match(/<script/g)).toEqual(['<script']);
    expect(html.match(/<\/main>/g)).toHaveLength(1);
  });
});

it.each([
  ['a step', stepPage(state(), 1)],
  ['the kill', killPage(state({ kill: ended }), 't')],
])('the page of %s asks no other server for anything, and has each id once', (_name, html) => {
  const loaded = [...html.matchAll(/(?:src|<link[^>]*href)="([^"]*)"/g)].map(([, address]) => address);
  expect(loaded).toEqual(['data:,', '/demo.js']);
  expect(html).not.toMatch(/url\(|@import/);
  const ids = [...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
  expect(ids.length).toBe(new Set(ids).size);
});
