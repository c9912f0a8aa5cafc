/** The address of a proxy, or "none". Null: the variables `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` decide. */
export type ProxySetting = string | null;

export const NO_PROXY_AT_ALL = 'none';
