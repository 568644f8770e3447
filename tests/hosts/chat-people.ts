/** People of a Slack workspace, as far as a bot can tell: they write, change, take back, press and fill in. */

import assert from 'node:assert/strict'
import { until } from '../support/wait.ts'
import { buttonsIn, shownIn } from './chat-slack-blocks.ts'
import { BOT, type Json, type SlackMessage, type SlackService } from './chat-slack-service.ts'

const WAIT_MS = 90_000

export interface Sent {
  readonly ts: string
  readonly channel: string
  readonly thread: string
}

export class SlackPerson {
  readonly id: string
  readonly #slack: SlackService
  readonly #team: string

  constructor(slack: SlackService, id: string, team: string = BOT.team) {
    this.#slack = slack
    this.id = id
    this.#team = team
  }

  /** In a channel the bot is mentioned; in a direct message nobody needs to be. */
  async say(
    text: string,
    { channel = 'C1', thread, files, ts = this.#slack.stamp(), more = {} }: SayOptions = {},
  ): Promise<Sent> {
    const direct = channel.startsWith('D')
    const event = {
      type: 'message',
      channel,
      channel_type: direct ? 'im' : 'channel',
      user: this.id,
      user_team: this.#team,
      ts,
      text: direct ? text : `<@${BOT.user}> ${text}`,
      ...(thread !== undefined && { thread_ts: thread }),
      ...(files !== undefined && { files, subtype: 'file_share' }),
      ...more,
    }
    await this.#slack.event(event)
    // Slack tells of a mention twice.
    if (!direct) await this.#slack.event({ ...event, type: 'app_mention', subtype: undefined })
    return { ts, channel, thread: thread ?? ts }
  }

  async edit({ ts, channel }: Sent, text: string): Promise<void> {
    const message = { type: 'message', user: this.id, ts, text: `<@${BOT.user}> ${text}` }
    await this.#slack.event({ type: 'message', subtype: 'message_changed', channel, message, ts: this.#slack.stamp() })
  }

  async remove({ ts, channel }: Sent): Promise<void> {
    const event = { type: 'message', subtype: 'message_deleted', channel, deleted_ts: ts, ts: this.#slack.stamp() }
    await this.#slack.event(event)
  }

  /** What this person sees of a thread. */
  reads(thread: string, channel = 'C1'): SlackMessage[] {
    return this.#slack.messages.filter(
      (one) =>
        one.channel === channel && (one.thread ?? '') === thread && (one.only === undefined || one.only === this.id),
    )
  }

  /** Waits for a message that this person can read; the last of them. */
  async sees(thread: string, part: string | RegExp, channel = 'C1'): Promise<SlackMessage> {
    const find = (): SlackMessage | undefined =>
      this.reads(thread, channel).findLast((one) =>
        typeof part === 'string' ? shownIn(one).includes(part) : part.test(shownIn(one)),
      )
    const shown = (): string => this.reads(thread, channel).map(shownIn).join(' | ')
    await until(() => find() !== undefined, `${this.id} sees ${String(part)}`, WAIT_MS).catch((error: Error) => {
      throw new Error(`${error.message}; there is: ${shown()}`)
    })
    const found = find()
    assert.ok(found)
    return found
  }

  async press(message: SlackMessage, label: string): Promise<void> {
    const found = buttonsIn(message).find((button) => button.label === label)
    assert.ok(found, `there is no button ${label} in ${shownIn(message)}`)
    await this.pressValue(message, found.value)
  }

  async pressValue(message: SlackMessage, value: string): Promise<void> {
    await this.#slack.deliver('interactive', {
      type: 'block_actions',
      user: { id: this.id, team_id: this.#team },
      team: { id: BOT.team },
      channel: { id: message.channel },
      container: { message_ts: message.ts, channel_id: message.channel, thread_ts: message.thread },
      trigger_id: this.#slack.trigger(this.id),
      actions: [{ type: 'button', action_id: 'portico-0', value }],
    })
  }

  /** Sends the form that was last opened for this person; what the bot said about it. */
  async submit(values: { readonly [block: string]: Json }): Promise<Json | undefined> {
    const opened = (): Json | undefined => this.#slack.views.findLast(({ user }) => user === this.id)?.view
    await until(() => opened() !== undefined, 'a form', WAIT_MS)
    const state = { values: Object.fromEntries(Object.entries(values).map(([block, value]) => [block, { v: value }])) }
    return this.#slack.deliver('interactive', {
      type: 'view_submission',
      user: { id: this.id, team_id: this.#team },
      team: { id: BOT.team },
      view: { ...opened(), state },
    })
  }
}

interface SayOptions {
  readonly channel?: string
  readonly thread?: string
  readonly files?: readonly Json[]
  readonly ts?: string
  readonly more?: Json
}
