/** Options of the caller; all other settings have the server's defaults. */
export type ModelWish = {
  readonly model?: string | undefined;
  readonly explorerModel?: string | undefined;
  readonly maxTurns?: number | undefined;
  /** Limit for the whole review with its explorers. Default: 5. */
  readonly budgetUsd?: number | undefined;
  /** Limit on input and output tokens together, including explorers. Default: 3,000,000. */
  readonly budgetTokens?: number | undefined;
  readonly baseUrl?: string | undefined;
  /** US dollars per million tokens, for models without a built-in price or to override it. */
  readonly prices?: readonly ModelWishPrice[] | undefined;
};

export type ModelWishPrice = { readonly model: string; readonly inputUsd: number; readonly outputUsd: number };
