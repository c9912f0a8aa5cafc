import type { SpendingSum } from '../../../shared/store/spending/sum-spending.ts';
import { COST_PERIODS, type CostReading } from '../read/cost.ts';
import type { BudgetFill, BudgetsReading } from '../read/budgets.ts';
import { barChart } from './bar-chart.ts';
import { type Content, html } from './html.ts';
import { pathOf } from './now-page.ts';
import { amountText, money, number } from './words.ts';

export const costPage = (reading: CostReading): Content => {
  const { period, days, total } = reading;
  return html`
    <h1>Cost</h1>
    <nav class="pager" aria-label="Period">
      ${COST_PERIODS.map((each) =>
        each === period
          ? html`<strong aria-current="page">${each} days</strong>`
          : html`<a href="/cost?days=${each}">${each} days</a>`,
      )}
    </nav>
    <p class="lead">
      ${money(total.microUsd / 1e6)} for ${amountText(total.calls, 'call')}: ${number(total.inputTokens)} tokens in
      (${number(total.cachedTokens)} cached), ${number(total.outputTokens)} out. Days are days of UTC.
    </p>
    ${budgetsOf(reading.budgets)}
    ${barChart(days)} ${table('Project', reading.byProject)} ${table('Model', reading.byModel)}
    ${table('Role', reading.byRole)}
  `;
};

const budgetsOf = ({ day, projects, changeRequests }: BudgetsReading): Content => {
  const meters = [
    ...(day === null ? [] : [{ fill: day, name: 'All projects, today' }]),
    ...projects.map((fill) => ({ fill, name: `${projectName(fill)}, today` })),
    ...changeRequests.map((fill) => ({ fill, name: nameOf(fill) })),
  ];
  return meters.length === 0
    ? null
    : html`<section>
        <h2>Budgets</h2>
        <p class="empty">The whole day, and the fullest budgets of projects and change requests.</p>
        <ul class="plain meters">
          ${meters.map(meter)}
        </ul>
      </section>`;
};

const projectName = ({ of, path }: BudgetFill): string =>
  of === null ? '' : `${of.forge}/${path ?? String(of.projectId)}`;

const nameOf = (fill: BudgetFill): string =>
  fill.of === null || !('number' in fill.of) ? '' : `${projectName(fill)}, change request ${fill.of.number}`;

const meter = ({ fill, name }: { readonly fill: BudgetFill; readonly name: string }, index: number): Content => html`
  <li>
    <label for="budget-${index}">
      ${
        fill.of !== null && 'number' in fill.of ? html`<a href="${pathOf(fill.of)}">${name}</a>` : name
      }: ${money(fill.usd)} of ${money(fill.limitUsd)}, ${number(fill.tokens)} of ${number(fill.limitTokens)} tokens
    </label>
    <meter id="budget-${index}" min="0" max="1" high="0.9" value="${Math.min(1, fill.share).toFixed(4)}"></meter>
  </li>
`;

const table = (name: string, rows: readonly SpendingSum[]): Content =>
  rows.length === 0
    ? null
    : html`<section>
        <h2>By ${name.toLowerCase()}</h2>
        <table>
          <thead>
            <tr>
              <th scope="col">${name}</th>
              ${['Cost', 'Calls', 'Tokens in', 'Tokens out'].map((head) => html`<th scope="col" class="figure">${head}</th>`)}
            </tr>
          </thead>
          <tbody>
            ${rows.slice(0, MAX_ROWS).map(row)}
          </tbody>
        </table>
        ${rows.length <= MAX_ROWS ? null : html`<p class="empty">${rows.length - MAX_ROWS} more are not shown.</p>`}
      </section>`;

const MAX_ROWS = 50;

const row = ({ values: [value = ''], calls, inputTokens, outputTokens, microUsd }: SpendingSum): Content => html`
  <tr>
    <th scope="row">${value}</th>
    <td class="figure" data-name="Cost">${money(microUsd / 1e6)}</td>
    <td class="figure" data-name="Calls">${number(calls)}</td>
    <td class="figure" data-name="Tokens in">${number(inputTokens)}</td>
    <td class="figure" data-name="Tokens out">${number(outputTokens)}</td>
  </tr>
`;
