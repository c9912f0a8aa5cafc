import type { ShownAnswer, HealthReading } from '../read/health.ts';
import { type Content, html } from './html.ts';
import { badge, duration, since } from './words.ts';

export const healthPage = (health: HealthReading): Content => html`
  <h1>Health</h1>
  ${health.outages.map((text) => html`<p class="notice warn">${text}</p>`)}
  ${health.misconfigurations.map((text) => html`<p class="notice bad">${text}</p>`)}
  ${
    health.missing.length === 0
      ? null
      : html`<p class="notice bad">No process of these services has reported lately: ${health.missing.join(', ')}.</p>`
  }
  ${
    versionsOf(health).length > 1
      ? html`<p class="notice warn">Processes of several versions are running: ${versionsOf(health).join(', ')}.</p>`
      : null
  }
  <section>
    <h2>Processes <span class="count">${health.processes.length}</span></h2>
    <ul class="cards">
      ${health.processes.map((one) => process(one, health.nowMs))}
    </ul>
  </section>
  <section>
    <h2>Forges and models <span class="count">${health.answers.length}</span></h2>
    ${
      health.answers.length === 0
        ? html`<p class="empty">No process has asked one since it started.</p>`
        : html`<ul class="cards">
            ${health.answers.map((one) => answer(one, health.nowMs))}
          </ul>`
    }
  </section>
  <section>
    <h2>Redis</h2>
    <p>Version ${health.redis.version}</p>
    ${health.redis.problems.map((text) => html`<p class="notice bad">${text}</p>`)}
  </section>
  <section>
    <h2>Webhooks <span class="count">${health.hooks.length}</span></h2>
    ${health.hooks.length === 0 ? html`<p class="empty">The sweep knows of no webhook that does not work.</p>` : null}
    <ul class="cards">
      ${health.hooks.map((hook) => webhook(hook, health.nowMs))}
    </ul>
  </section>
`;

const versionsOf = ({ processes }: HealthReading): readonly string[] =>
  [...new Set(processes.map(({ version }) => version))].toSorted();

const process = (one: HealthReading['processes'][number], nowMs: number): Content => html`
  <li class="card">
    <p class="facts">
      <strong>${one.service}</strong> ${badge('running', 'good')} <span>${one.version}</span>
      <span>for ${duration((nowMs - one.startedAtMs) / 1000)}</span> <code>${one.instance}</code>
    </p>
    ${one.notices.map((text) => html`<p class="small">${text}</p>`)}
  </li>
`;

const answer = ({ of, outcome, atMs, service }: ShownAnswer, nowMs: number): Content => html`
  <li class="card">
    <p class="facts">
      <strong>${of}</strong> ${badge(outcome, isGood(outcome) ? 'good' : 'warn')} <span>to ${service}</span>
      ${since(atMs, nowMs)}
    </p>
  </li>
`;

/** Forges also answer with 404 to a question whether something exists. */
const isGood = (outcome: string): boolean => /^(?:answered|[23]\d\d|404)$/.test(outcome);

const webhook = ({ forge, path, health, lacks, atMs }: HealthReading['hooks'][number], nowMs: number): Content => html`
  <li class="card">
    <p class="facts"><strong>${path}</strong> ${badge(health, 'bad')} <span>${forge}</span> ${since(atMs, nowMs)}</p>
    ${lacks.length === 0 ? null : html`<p class="small">The webhook lacks: ${lacks.join(', ')}.</p>`}
  </li>
`;
