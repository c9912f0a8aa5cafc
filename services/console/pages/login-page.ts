import { html, type Content } from './html.ts';

export type LoginProblem = 'wrong' | 'blocked' | null;

const WORDS: Readonly<Record<NonNullable<LoginProblem>, string>> = {
  wrong: 'This is not a token of this page.',
  blocked: 'Too many wrong tokens came from this address. Wait a minute, then try again.',
};

export const loginPage = ({
  next,
  problem,
}: {
  readonly next: string;
  readonly problem: LoginProblem;
}): Content => html`
  <section class="login">
    <h1>Log in</h1>
    <p>The token is in the environment variable that <code>console.token_env</code> names.</p>
    ${problem === null ? null : html`<p class="notice bad" role="alert">${WORDS[problem]}</p>`}
    <form method="post" action="/login">
      <input type="hidden" name="next" value="${next}" />
      <label for="token">Token</label>
      <input id="token" name="token" type="password" autocomplete="current-password" required maxlength="1000" />
      <button type="submit">Log in</button>
    </form>
  </section>
`;
