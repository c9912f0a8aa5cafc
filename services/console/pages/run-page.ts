import type { RecordedConversation } from '../../../shared/overview/recorded-run.ts';
import type { RunReading } from '../read/run.ts';
import type { RunSummary } from '../read/run-summary.ts';
import { type Content, html } from './html.ts';
import { pathOf } from './now-page.ts';
import { badge, amountText, duration, money, number, shaText } from './words.ts';

export const runPage = (reading: RunReading): Content => {
  const { of, review, attempt, head, stage, runId, summary, conversations } = reading;
  return html`
    <p class="crumb"><a href="${pathOf(of)}">${of.forge}/${of.projectId}/${of.number}</a></p>
    <h1>Review ${review}, attempt ${attempt}</h1>
    <p class="facts"><code>${shaText(head)}</code> ${badge(stage, 'calm')} <span>run <code>${runId}</code></span></p>
    ${summary === null ? html`<p class="notice calm">The run has no stored draft.</p>` : draft(summary)}
    <section>
      <h2>Conversations</h2>
      ${conversations === null ? html`<p class="empty">Another version of Fixpoint recorded them.</p>` : null}
      ${conversations?.length === 0 ? html`<p class="empty">None is stored: no model was asked, or they expired.</p>` : null}
      ${(conversations ?? []).map(conversation)}
    </section>
  `;
};

const draft = (summary: NonNullable<RunSummary>): Content => html`
  <section>
    <h2>Result</h2>
    <dl class="grid">
      <div><dt>By</dt><dd>${summary.model ?? summary.runner ?? 'the built-in rules'}</dd></div>
      <div><dt>Files</dt><dd>${summary.files.reviewed} of ${summary.files.all} reviewed</dd></div>
      <div>
        <dt>Spent</dt>
        <dd>
          ${money(summary.spent.costUsd)}, ${amountText(summary.spent.modelCalls, 'call')},
          ${number(summary.spent.inputTokens)} tokens in (${number(summary.spent.cachedTokens)} cached),
          ${number(summary.spent.outputTokens)} out, ${duration(summary.spent.wallMs / 1000)}
        </dd>
      </div>
      ${summary.exceeded === null ? null : html`<div><dt>Ended early</dt><dd>${summary.exceeded} is used up</dd></div>`}
      ${
        summary.receipts.length === 0
          ? null
          : html`<div><dt>Lines</dt><dd>${summary.receipts.map((line) => html`<p>${line}</p>`)}</dd></div>`
      }
    </dl>
    ${summary.summary === '' ? null : html`<p class="said">${summary.summary}</p>`}
    <ul class="cards">
      ${summary.findings.map(
        ({ severity, title, where }) =>
          html`<li class="card"><p class="title">${title}</p><p class="facts">${badge(severity, 'calm')} <code>${where}</code></p></li>`,
      )}
    </ul>
    ${
      summary.answers.length === 0
        ? null
        : html`<p>${summary.answers.map(({ id, action }) => `${id}: ${action}`).join(', ')}</p>`
    }
    ${
      summary.omitted.length === 0
        ? null
        : html`<details>
          <summary>${amountText(summary.omitted.length, 'file')} not reviewed</summary>
          <ul class="plain">
            ${summary.omitted.map(({ path, reason }) => html`<li><code>${path}</code>: ${reason}</li>`)}
          </ul>
        </details>`
    }
  </section>
`;

const conversation = ({ id, role, model, lines }: RecordedConversation, index: number): Content => html`
  <details ${index === 0 ? html`open` : null}>
    <summary>${role}, ${model} <span class="small">${id}, ${amountText(lines.length, 'line')}</span></summary>
    <pre tabindex="0">${lines.join('\n')}</pre>
  </details>
`;
