import { type AuditEntry, KEPT_AUDIT_ENTRIES } from '../../../shared/store/board/audit.ts';
import { type Content, html } from './html.ts';
import { badge, since } from './words.ts';

export const auditPage = (entries: readonly AuditEntry[], nowMs: number): Content => html`
  <h1>Actions</h1>
  <p class="lead">What people did on this page: the last ${KEPT_AUDIT_ENTRIES} actions. The log has all of them.</p>
  ${entries.length === 0 ? html`<p class="empty">No actions yet.</p>` : null}
  <ol class="timeline">
    ${entries.map(
      ({ atMs, action, about, outcome, address }) => html`<li>
        <p class="facts">
          <strong>${action.replaceAll('_', ' ')}</strong> ${badge(outcome.replaceAll('_', ' '), 'calm')}
          ${since(atMs, nowMs)} <span>from ${address}</span>
        </p>
        <p><code>${about}</code></p>
      </li>`,
    )}
  </ol>
`;
