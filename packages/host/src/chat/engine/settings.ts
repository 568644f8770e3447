/** What a chat host may do where, and how much: channels, budgets, bounds. Every bound has its default here. */

/** What may be used up in a channel from midnight to midnight (UTC). */
export interface ChannelBudget {
  /** Messages that are answered. */
  readonly turns?: number
  /** Tool calls. */
  readonly calls?: number
  /** Input and output tokens. */
  readonly tokens?: number
  /** US dollars, where the price of the model is known. */
  readonly cost?: number
}

/** What holds in a channel. */
export interface ChannelSettings {
  /** A project of the configuration: its servers, rules, instructions and attached resources hold here. */
  readonly project?: string
  readonly model?: string
  /** Told to the model in place of its usual introduction. */
  readonly system?: string
  /** Only these tools, by their names in the catalogue. */
  readonly tools?: readonly string[]
  readonly budget?: ChannelBudget
  /** Answers every message of a thread that it is part of, and not only those that mention it. */
  readonly followThreads?: boolean
}

/** The bounds of a chat host. */
export interface ChatLimits {
  /** Messages of one person that wait or run. */
  readonly perPerson: number
  /** The same for a channel, and for all of it. */
  readonly perChannel: number
  readonly waiting: number
  /** Turns that run at once: of one person, in a channel, and in all. */
  readonly runningPerPerson: number
  readonly runningPerChannel: number
  readonly running: number
  /** Of a message. */
  readonly messageChars: number
  /** Files of a message or turn, either way, and the size of each. */
  readonly files: number
  readonly fileBytes: number
  /** People whose hosts are open at once, and how long one stays open without being used. */
  readonly people: number
  readonly idleMs: number
  /** How long a conversation is kept after its last message. */
  readonly keepMs: number
  /** How long a process that gives no sign of life counts as working. */
  readonly deadMs: number
}

/** The bounds unless others are given. */
export const CHAT_LIMITS: ChatLimits = {
  perPerson: 5,
  perChannel: 20,
  waiting: 200,
  runningPerPerson: 3,
  runningPerChannel: 6,
  running: 24,
  messageChars: 40_000,
  files: 5,
  fileBytes: 5_000_000,
  people: 100,
  idleMs: 15 * 60_000,
  keepMs: 30 * 24 * 3_600_000,
  deadMs: 15_000,
}

/** Where a chat host answers, and under which settings. */
export interface ChatSettings {
  /** By id of the channel; `*` is every other one. A channel that is not named is not answered in. */
  readonly channels?: { readonly [channel: string]: ChannelSettings }
  /** Settings of direct messages; false: they are not answered. Answered unless given. */
  readonly direct?: ChannelSettings | false
  /** Workspaces whose people are answered; only the one that the bot is at home in unless given. */
  readonly teams?: readonly string[]
  /** Only these people, by id; everybody of the workspace unless given. */
  readonly people?: readonly string[]
  readonly limits?: Partial<ChatLimits>
}

/** The settings of a place; undefined where nothing is answered. */
export function settingsFor(
  { channels = {}, direct = {} }: ChatSettings,
  place: { readonly channel: string; readonly direct: boolean },
): ChannelSettings | undefined {
  if (place.direct) return direct === false ? undefined : direct
  if (Object.hasOwn(channels, place.channel)) return channels[place.channel]
  return Object.hasOwn(channels, '*') ? channels['*'] : undefined
}
