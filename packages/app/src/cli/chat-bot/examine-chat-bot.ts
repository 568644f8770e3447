/** What `portico doctor` says about the bot of a team chat: the section, the secrets, and what the chat thinks of them. */

import { examineSlack, type SlackExamination } from '@portico/host/chat'
import type { LoadedConfig } from '@portico/host/config'
import type { Io } from '../terminal/io.ts'
import { slackSecretsOf, VARIABLES } from './chat-bot-adapter.ts'
import { type ChatBotSettings, readChatBotSettings } from './chat-bot-settings.ts'

/** Nothing where there is no bot. */
export async function* examineChatBot(config: LoadedConfig, io: Io): AsyncGenerator<SlackExamination> {
  const { settings, problems, isThere } = readChatBotSettings(config)
  for (const file of withoutSay(config)) {
    const detail = `the section chatBot of ${file} is not used: a file that comes with a project has no say in it`
    yield {
      status: 'note',
      what: 'chat bot',
      detail,
      remedy: 'Name the file: `portico chat-bot slack --config <file>`.',
    }
  }
  if (!isThere) return
  for (const detail of problems) yield { status: 'fail', what: 'chat bot', detail, remedy: 'Mend portico.json.' }
  if (problems.length > 0) return
  const channels = Object.keys(settings.channels ?? {})
  yield channels.length > 0
    ? { status: 'ok', what: 'chat bot', detail: `answers in ${channels.join(', ')}` }
    : { status: 'note', what: 'chat bot', detail: 'answers in no channel', remedy: 'Name some in chatBot.channels.' }
  if (settings.webhook !== undefined) yield examineWebhook(settings, io)
  if (settings.slack !== undefined || settings.webhook === undefined) yield* examineSlackBot(settings, io)
}

async function* examineSlackBot(settings: ChatBotSettings, io: Io): AsyncGenerator<SlackExamination> {
  const { slack = {} } = settings
  const { mode, botToken, appToken, signingSecret } = slackSecretsOf(settings, io.env)
  const second = mode === 'socket' ? 'appToken' : 'signingSecret'
  const missing = [
    ...(botToken === undefined ? [slack.botToken ?? VARIABLES.botToken] : []),
    ...((mode === 'socket' ? appToken : signingSecret) === undefined ? [slack[second] ?? VARIABLES[second]] : []),
  ]
  const detail = missing.length === 0 ? `there, for ${mode} mode` : `${missing.join(' and ')} not set`
  yield missing.length === 0
    ? { status: 'ok', what: 'Slack tokens', detail }
    : { status: 'fail', what: 'Slack tokens', detail, remedy: 'Put the tokens of the app into these variables.' }
  if (botToken === undefined) return
  const base = slack.base === undefined ? {} : { base: slack.base }
  yield* await examineSlack({ botToken, ...(mode === 'socket' && appToken !== undefined && { appToken }), ...base })
}

function examineWebhook({ webhook = {} }: ChatBotSettings, io: Io): SlackExamination {
  const variable = webhook.secret ?? VARIABLES.secret
  const isSet = (io.env[variable] ?? '') !== ''
  if (webhook.url === undefined) {
    return { status: 'fail', what: 'chat webhook', detail: 'no address', remedy: 'Set chatBot.webhook.url.' }
  }
  return isSet
    ? { status: 'ok', what: 'chat webhook', detail: webhook.url }
    : { status: 'fail', what: 'chat webhook', detail: `${variable} not set`, remedy: 'Put the secret into it.' }
}

/** Files of the project that have the section. */
function withoutSay({ extras, untrusted }: LoadedConfig): string[] {
  const trusted = extras.filter(({ scope, chatBot }) => scope === 'project' && chatBot !== undefined)
  const waiting = untrusted.filter(({ content }) => /"chatBot"\s*:/.test(content))
  return [...trusted, ...waiting].map(({ file }) => file)
}
