/**
 * What is about to happen, in the words of the one decision point: every connection, call, reading, sampling, question
 * and shared root is an effect, and so is data of one server on its way to another. Rules, approvals and the audit log
 * all speak of these.
 */

import type { JsonObject, Principal, ToolAnnotations } from '@portico/sdk/server'

/**
 * Something that is about to happen and is decided about first: connecting a server, calling a tool, reading a
 * resource, using a prompt, a server's wish to use the model or to ask the user, sharing a folder, or data of one
 * server going to another.
 */
export type Effect =
  /** `shown` is the whole command line or URL, with secrets as references. */
  | {
      readonly kind: 'connect'
      readonly server: string
      readonly shown: string
      readonly fingerprint: string
      /** It is a program on this machine, and no address. */
      readonly local?: boolean
      /** Where that program is started; the fingerprint holds for this folder alone. */
      readonly folder?: string
    }
  | {
      readonly kind: 'call'
      readonly server: string
      readonly tool: string
      readonly arguments: JsonObject
      /** As the server claims them; believed only of trusted servers. */
      readonly annotations?: ToolAnnotations
      readonly trusted: boolean
    }
  | { readonly kind: 'read'; readonly server: string; readonly uri: string }
  | { readonly kind: 'prompt'; readonly server: string; readonly prompt: string; readonly arguments: JsonObject }
  /** Words that somebody is typing go to the server, which proposes how to go on: for a prompt, or a URI to read. */
  | {
      readonly kind: 'complete'
      readonly server: string
      readonly of: 'prompt' | 'read'
      /** The prompt's name, or the template of the URI. */
      readonly item: string
      readonly arguments: JsonObject
    }
  /** `background`: asked for outside any call of ours. */
  | {
      readonly kind: 'sample'
      readonly server: string
      readonly background: boolean
      readonly maxTokens: number
      readonly includeContext?: string
    }
  /** `host` is the web host of a URL question. */
  | { readonly kind: 'elicit'; readonly server: string; readonly mode: 'form' | 'url'; readonly host?: string }
  | { readonly kind: 'root'; readonly server: string; readonly uri: string }
  /** Data of `from` is about to reach `server` in what a call, reading, prompt or completion sends, or in the turn that made it. */
  | {
      readonly kind: 'flow'
      readonly server: string
      readonly from: readonly string[]
      /** The tool, prompt, or URI. */
      readonly tool: string
      readonly arguments: JsonObject
      /** The data was found in the arguments themselves; else it is known to the turn alone. */
      readonly inArguments?: boolean
    }

/** The kinds of effects that rules can be about. */
export type EffectKind = Effect['kind']

/** Under what circumstances: all that rules may look at besides the effect. */
export interface Circumstances {
  readonly principal?: Principal
  /** The conversation, downstream session or command that this is part of. */
  readonly session: string
  /** The project folder, where there is one. */
  readonly workspace?: string
  /** Nobody is there to be asked: what would ask is denied. */
  readonly unattended: boolean
  /** Untrusted text is in the context that led to this effect. */
  readonly tainted: boolean
  /** A person does this by hand: what else the conversation has seen did not lead to it. */
  readonly byHand?: boolean
  /**
   * It comes from somebody else's host, which keeps in mind what its model has read: each effect is judged by itself, and
   * data is followed from server to server only where a rule is about that.
   */
  readonly relayed?: boolean
  readonly at: number
  readonly traceId?: string
}
