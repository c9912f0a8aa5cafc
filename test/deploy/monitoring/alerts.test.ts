/** The alert rules: each fires in its case and in no other, and says what to do. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readProjectFile } from '../../conventions/source.ts';
import { hasPrometheus, type Promtool, promtool } from '../../support/prometheus.ts';
import { PROJECT_ROOT } from '../../support/tracked-files.ts';
import { ALERT_CASES, promtoolTests } from './alert-cases.ts';
import { alertRules, CONFIGS, RULES_FILE } from './monitoring-files.ts';

const rules = path.join(PROJECT_ROOT, RULES_FILE);

const newFolder = (): string => {
  const folder = mkdtempSync(path.join(tmpdir(), 'fixpoint-alerts-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};

describe.skipIf(!hasPrometheus)('the alert rules (skipped without Prometheus)', () => {
  test('are valid', () => {
    expect(promtool(['check', 'rules', rules])).toMatchObject({
      code: 0,
      said: expect.stringContaining(`${alertRules().length} rules found`),
    });
  });

  test('fire in their cases, alone, and are silent while all is well', { timeout: 90_000 }, () => {
    const file = path.join(newFolder(), 'tests.yml');
    writeFileSync(file, promtoolTests(rules, ALERT_CASES));
    expect(promtool(['test', 'rules', file])).toMatchObject({ code: 0 });
  });

  test.each(CONFIGS)('%s is a valid configuration', (name) => {
    const file = path.join(PROJECT_ROOT, name);
    const { code, said } = promtool(['check', 'config', file]);
    // Debian builds Prometheus without the discovery in Kubernetes.
    if (said.includes('field kubernetes_sd_configs not found')) expect(checkOtherwise(file)).toMatchObject({ code: 0 });
    else expect({ code, said }).toMatchObject({ code: 0 });
  });
});

/** The same file with fixed targets in the place of those in Kubernetes. */
const checkOtherwise = (file: string): Promtool => {
  const folder = newFolder();
  const text = readFileSync(file, 'utf8').replace(
    /kubernetes_sd_configs:\n.*\n/,
    'static_configs: [{ targets: [a] }]\n',
  );
  const copy = path.join(folder, 'prometheus.yml');
  writeFileSync(copy, text.replace('- alerts.yml', `- ${rules}`));
  return promtool(['check', 'config', copy]);
};

test('each alert has a case in which it fires', () => {
  const cases = new Set(ALERT_CASES.map(({ alert }) => alert));
  expect([...cases]).toEqual(expect.arrayContaining(alertRules().map(({ alert }) => alert)));
  expect(cases.size).toBe(alertRules().length);
});

test('each alert says what to do, links a page of the guide, and has a row in the page about troubles', () => {
  const page = readProjectFile('deploy/guide/troubleshooting.md');
  const rows = [...page.matchAll(/^\| `(Fixpoint\w+)` \|/gm)].map(([, alert]) => alert);
  expect(rows).toEqual(alertRules().map(({ alert }) => alert));
  for (const { alert, annotations } of alertRules()) {
    const links = [annotations.runbook, ...(annotations.description.match(/[\w/-]+\.md(?:#[\w-]+)?/g) ?? [])];
    for (const link of links) expect([alert, link, hasPlace(link)]).toEqual([alert, link, true]);
    expect(annotations.description.length).toBeGreaterThan(80);
  }
});

const hasPlace = (link: string): boolean => {
  const [file = '', anchor] = link.split('#');
  const anchors = [...readProjectFile(file).matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  );
  return anchor === undefined || anchors.includes(anchor);
};
