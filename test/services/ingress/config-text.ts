export const CONFIG_TEXT = `
[ingress]
port = 0

[[forge]]
id = "code"
kind = "forgejo"
base_url = "https://code.example.test"
token_env = "CODE_TOKEN"
webhook_secret_envs = ["CODE_WEBHOOK_SECRET"]
projects = ["acme/widgets"]
`;
