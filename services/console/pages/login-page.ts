import { html, type Content } from './html.ts';

export type LoginProblem = 'wrong' | 'blocked' | 'stale' | 'refused' | 'unanswered' | null;

const WORDS: Readonly<Record<NonNullable<LoginProblem>, string>> = {
  wrong: 'This is not a token of this page.',
  blocked: 'Too many wrong tokens came from this address. Wait a minute, then try again.',
  stale: 'This login was not begun in this browser, or it was begun too long ago. Begin again.',
  refused: 'The forge did not allow the login.',
  unanswered: 'The forge does not answer. Try again in a moment.',
};

export const loginPage = ({
  next,
  problem,
  byForge,
}: {
  readonly next: string;
  readonly problem: LoginProblem;
  /** True if an account of the forge opens the page, too. */
  readonly byForge: boolean;
}): Content => html`
  <section class="login">
    <h1>Log in</h1>
    ${byForge ? html`<p><a class="button" href="/login/forge?next=${encodeURIComponent(next)}">With your account on the forge</a></p>` : null}
    <p>${byForge ? 'Operators use a token. ' : ''}The token is in the environment variable that <code>console.token_env</code> names.</p>
    ${problem === null ? null : html`<p class="notice bad" role="alert">${WORDS[problem]}</p>`}
    <form method="post" action="/login">
      <input type="hidden" name="next" value="${next}" />
      <label for="token">Token</label>
      <input id="token" name="token" type="password" autocomplete="current-password" required maxlength="1000" />
      <button type="submit">Log in</button>
    </form>
  </section>
`;

/** Shown for a moment after a login by the forge. */
export const enterPage = (next: string): Content => html`
  <section class="login">
    <h1>Logged in</h1>
    <p><a href="${next}">Go on</a></p>
  </section>
`;
