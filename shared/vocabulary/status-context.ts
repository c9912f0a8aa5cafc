/** The name of the commit status. */
/** The context of the bot's own status. It never counts as CI: it would wait for itself. */
export const STATUS_CONTEXT = 'fixpoint';
