import type { ProjectOfForge } from '../../../shared/store/board/pauses.ts';
import { type HookReport, isAmiss } from '../../../shared/store/sweep/sweep-hooks.ts';
import type { ProjectReading, ProjectRow, Projects, RecentVerdict } from '../read/projects.ts';
import { type Content, html } from './html.ts';
import { pathOf } from './now-page.ts';
import { amountText, badge, since, verdictBadge } from './words.ts';

export const projectPath = ({ forge, projectId }: ProjectOfForge): string => `/projects/${forge}/${projectId}`;

const nameOf = ({ forge, projectId, path }: ProjectRow): string => (path === null ? `${forge}/${projectId}` : path);

export const projectsPage = (projects: Projects): Content => html`
  <h1>Projects</h1>
  <p class="lead">
    ${projects.total === 0 ? EMPTY : `${amountText(projects.total, 'project')}, the most recently active first.`}
  </p>
  <ul class="cards">
    ${projects.rows.map((row) => card(row, projects.nowMs))}
  </ul>
  ${pager(projects)}
`;

const EMPTY = 'No project is known yet. The first event or sweep of a forge adds its projects.';

const card = (row: ProjectRow, nowMs: number): Content => html`
  <li class="card">
    <p class="title"><a href="${projectPath(row)}">${nameOf(row)}</a></p>
    <p class="facts">
      ${row.pause === null ? null : badge('paused', 'warn')}
      ${row.hook === null ? null : hookBadge(row.hook)}
      <span>${row.forge}/${row.projectId}</span>
      <span>${amountText(row.known, 'change request')}</span>
      ${row.pause === null ? null : html`<span>paused ${since(row.pause.atMs, nowMs)}</span>`}
    </p>
    ${
      row.recent.length === 0
        ? null
        : html`<p class="facts">
            ${row.recent.map(
              ({ of, view }) =>
                html`<span><a href="${pathOf(of)}">${of.number}</a> ${verdictBadge(view?.verdict ?? null)}</span>`,
            )}
          </p>`
    }
  </li>
`;

const hookBadge = (hook: HookReport): Content =>
  badge(`webhook ${hook.health}`, isAmiss(hook) ? 'bad' : hook.health === 'working' ? 'good' : 'calm');

const pager = ({ page, pages }: Projects): Content =>
  pages === 1
    ? null
    : html`<nav class="pager" aria-label="Pages of the list">
        ${page > 1 ? html`<a href="/projects?page=${page - 1}" rel="prev">Previous</a>` : null}
        <span>page ${page} of ${pages}</span>
        ${page < pages ? html`<a href="/projects?page=${page + 1}" rel="next">Next</a>` : null}
      </nav>`;

export type ProjectFrame = {
  /** The value for forms; null if the visitor may not act. */
  readonly csrf: string | null;
  /** What the last action did. Null if there was none. */
  readonly said: string | null;
};

export const projectPage = (project: ProjectReading, { csrf, said }: ProjectFrame): Content => html`
  <p class="crumb"><a href="/projects">Projects</a></p>
  <h1>${nameOf(project)}</h1>
  ${said === null ? null : html`<p class="notice calm" role="status">${said}</p>`}
  ${project.pause === null ? null : pauseNotice(project)}
  <p class="facts">
    ${project.hook === null ? badge('webhook unknown', 'calm') : hookBadge(project.hook)}
    <span>${project.forge}/${project.projectId}</span>
    ${project.hook === null ? null : html`<span>webhook checked ${since(project.hook.atMs, project.nowMs)}</span>`}
  </p>
  ${
    project.hook === null || project.hook.lacks.length === 0
      ? null
      : html`<p class="small">The webhook lacks: ${project.hook.lacks.join(', ')}.</p>`
  }
  ${csrf === null ? null : pauseForm(project, csrf)} ${verdictsOf(project)} ${settingsOf(project)}
`;

const pauseNotice = ({ pause, nowMs }: ProjectReading): Content =>
  pause === null
    ? null
    : html`<p class="notice warn">
        Paused ${since(pause.atMs, nowMs)} by ${pause.by}: no review starts, and nothing is posted.
        ${amountText(pause.held, 'change request')} ${pause.held === 1 ? 'waits' : 'wait'}.
      </p>`;

const pauseForm = ({ forge, projectId, pause }: ProjectReading, csrf: string): Content => html`
  <form class="row" method="post" action="${projectPath({ forge, projectId })}/pause">
    <input type="hidden" name="csrf" value="${csrf}" />
    ${
      pause === null
        ? html`<button class="quiet" name="action" value="pause">Pause this project</button>`
        : html`<button name="action" value="continue">Continue this project</button>`
    }
  </form>
`;

const verdictsOf = ({ recent, known, nowMs }: ProjectReading): Content => html`
  <section>
    <h2>Last verdicts <span class="count">${known}</span></h2>
    ${recent.length === 0 ? html`<p class="empty">Guard has seen no change request in the last 30 days.</p>` : null}
    <ul class="cards">
      ${recent.map((one) => verdict(one, nowMs))}
    </ul>
  </section>
`;

const verdict = ({ of, view }: RecentVerdict, nowMs: number): Content => html`
  <li class="card">
    <p class="title"><a href="${pathOf(of)}">${view?.title ?? `${of.forge}/${of.projectId}/${of.number}`}</a></p>
    <p class="facts">
      ${verdictBadge(view?.verdict ?? null)} <span>${of.number}</span>
      ${view === null || view.state === 'open' ? null : badge(view.state, 'calm')}
      ${view === null ? null : since(view.atMs, nowMs)}
    </p>
  </li>
`;

const settingsOf = ({ settings }: ProjectReading): Content =>
  settings === null
    ? null
    : html`<section>
        <h2>Settings <span class="count">${settings.all.length}</span></h2>
        <p class="empty">
          ${
            settings.sections.length === 0
              ? 'No [[project]] section matches.'
              : `Matched by ${settings.sections.map((index) => `project[${index}]`).join(', ')}; the last section wins.`
          }
          <code>.fixpoint.toml</code> of the project may tighten those with * for a review.
        </p>
        <table>
          <thead>
            <tr>
              ${['Setting', 'Value', 'From'].map((head) => html`<th scope="col">${head}</th>`)}
            </tr>
          </thead>
          <tbody>
            ${settings.all.map(setting)}
          </tbody>
        </table>
      </section>`;

const setting = ({
  setting: name,
  value,
  source,
  mayBeTightened,
}: NonNullable<ProjectReading['settings']>['all'][number]): Content => html`
  <tr class="${source === 'default' ? 'unset' : 'set'}">
    <th scope="row"><code>${name}</code>${mayBeTightened ? ' *' : ''}</th>
    <td data-name="Value"><code>${JSON.stringify(value, null, 1)}</code></td>
    <td data-name="From">${source}</td>
  </tr>
`;
