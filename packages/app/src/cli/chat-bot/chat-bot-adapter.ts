/** The chat that a bot is to work in, with its secrets from the environment. */

import { createSlackAdapter, createWebhookAdapter, type SlackAdapter, type WebhookAdapter } from '@portico/host/chat'
import { CliError } from '../../exit-codes.ts'
import type { Io } from '../terminal/io.ts'
import type { ChatBotSettings } from './chat-bot-settings.ts'

/** The names of variables unless the file gives others. */
export const VARIABLES = {
  botToken: 'SLACK_BOT_TOKEN',
  appToken: 'SLACK_APP_TOKEN',
  signingSecret: 'SLACK_SIGNING_SECRET',
  secret: 'CHAT_WEBHOOK_SECRET',
} as const

type Env = Io['env']

/** Socket mode where there is a token for it; HTTP where there is a secret for that. */
export function slackSecretsOf({ slack = {} }: ChatBotSettings, env: Env) {
  const value = (name: 'botToken' | 'appToken' | 'signingSecret'): string | undefined => {
    const found = env[slack[name] ?? VARIABLES[name]]
    return found === '' ? undefined : found
  }
  const [botToken, appToken, signingSecret] = [value('botToken'), value('appToken'), value('signingSecret')]
  const mode = slack.mode ?? (appToken === undefined && signingSecret !== undefined ? 'http' : 'socket')
  return { mode, botToken, appToken, signingSecret } as const
}

export function createAdapter(
  kind: string,
  settings: ChatBotSettings,
  env: Env,
  onWarning: (message: string) => void,
): SlackAdapter | WebhookAdapter {
  return kind === 'slack' ? createSlack(settings, env, onWarning) : createWebhook(settings, env)
}

function createSlack(settings: ChatBotSettings, env: Env, onWarning: (message: string) => void): SlackAdapter {
  const { slack = {} } = settings
  const { mode, botToken, appToken, signingSecret } = slackSecretsOf(settings, env)
  if (botToken === undefined) throw lacks('the bot token (xoxb-…)', slack.botToken ?? VARIABLES.botToken)
  const base = slack.base === undefined ? {} : { base: slack.base }
  if (mode === 'socket') {
    if (appToken === undefined) throw lacks('the app-level token (xapp-…)', slack.appToken ?? VARIABLES.appToken)
    return createSlackAdapter({ botToken, appToken, ...base, onWarning })
  }
  if (signingSecret === undefined) throw lacks('the signing secret', slack.signingSecret ?? VARIABLES.signingSecret)
  return createSlackAdapter({ botToken, signingSecret, ...base, onWarning })
}

function createWebhook({ webhook = {} }: ChatBotSettings, env: Env): WebhookAdapter {
  const { url, name, secret: variable = VARIABLES.secret } = webhook
  const secret = env[variable]
  if (url === undefined) {
    throw new CliError('config', 'Where to send messages is not known', 'Set chatBot.webhook.url in portico.json.')
  }
  if (secret === undefined || secret === '') throw lacks('the secret of the webhook', variable)
  return createWebhookAdapter({ url, secret, ...(name !== undefined && { name }) })
}

function lacks(what: string, variable: string): CliError {
  return new CliError('config', `chat-bot: ${what} is missing`, `Put it into the variable ${variable}.`)
}
