/** What a host can be told when it is made, and what a single act can be told. */

import type { Progress } from '@portico/sdk/client'
import type { Principal } from '@portico/sdk/server'
import type { InputSource } from '../config/command/inputs.ts'
import type { ConfigForm } from '../config/formats/form.ts'
import type { LoadedConfig } from '../config/load-config.ts'
import type { ConfigFile } from '../config/places.ts'
import type { ServerConfig } from '../config/server-config.ts'
import type { SecretSource } from '../config/trust/secret-store.ts'
import type { Answer, Question } from '../consent/question.ts'
import type { DecisionTelemetryApi } from '../guard/decision-telemetry.ts'
import type { BudgetLimits } from '../model/budget.ts'
import type { SavedConversation } from '../model/conversation.ts'
import type { DocumentReader } from '../model/fit-media.ts'
import type { Models } from '../model/models.ts'
import type { SafetyFilter } from '../model/safety.ts'
import type { SharedState } from '../state/shared/shared-state.ts'
import type { ClientTelemetryApi } from '../upstream/connection/link-telemetry.ts'
import type { InProcessFactory, TargetResolver } from '../upstream/connection/resolve.ts'
import type { UpstreamsOptions } from '../upstream/upstreams.ts'
import type { HostAuditOptions } from './audit-file.ts'
import type { SignInOptions } from './sign-in.ts'
import type { TaskArrival } from './tasks/host-task.ts'

/**
 * Options of `createHost`: which servers there are, where state is kept, who is asked, and which rules and models hold.
 */
export interface HostOptions {
  /** Where approvals, pins, grants and the audit log are kept. Nothing is kept without it. */
  readonly stateDir?: string
  /**
   * What several hosts share, in place of files below `stateDir`: approvals, pins, grants, questions and tokens. See
   * `shareState` of `@portico/host/state`. The host closes it with itself. The audit log and trusted files stay in `stateDir`.
   */
  readonly state?: SharedState
  /** Configuration files, later ones winning; none unless given (`findConfigFiles` finds the usual ones). */
  readonly configFiles?: readonly (Pick<ConfigFile, 'path' | 'scope'> & { readonly form?: ConfigForm })[]
  /** In place of `configFiles`: what a program has read already. */
  readonly config?: LoadedConfig
  /** Follow the files and reconnect what changes. */
  readonly watch?: boolean
  /** Servers besides those of the files. A file's entry of the same name wins. */
  readonly servers?: readonly ServerConfig[]
  /** Names: of all servers, only these are connected. The rules and models of the files count all the same. */
  readonly only?: readonly string[]
  /** Servers that run in this process, by the name that an `in-process` entry gives as its module. */
  readonly inProcess?: ReadonlyMap<string, InProcessFactory>
  /** The project folder. */
  readonly workspace?: string
  /**
   * Whose host it is: who acts, is asked and is written down where an act names nobody else. Rules can be about them. The
   * connections stay the host's own, so that a program with several people opens a host for each.
   */
  readonly principal?: Principal
  /** How long the first turn of a model waits for servers that are starting; 2,000 milliseconds unless given. */
  readonly patienceMs?: number
  /** Nobody is there to be asked: whatever would ask is denied. */
  readonly unattended?: boolean
  /** Puts a question to the person; undefined leaves it in the inbox for another surface to answer. */
  readonly ask?: (question: Question) => Promise<Answer | undefined> | Answer | undefined
  readonly env?: { readonly [name: string]: string | undefined }
  readonly secrets?: SecretSource
  /**
   * Before a package without an exact version is run (`npx tool`), its registry is asked which one that would be now, and
   * another one than was approved is asked about. The registry is the one that npm is configured with. True unless given.
   */
  readonly packageLookups?: boolean
  /** How the audit log is kept: its key, what else is redacted, where copies of its head go. */
  readonly audit?: HostAuditOptions
  readonly inputs?: InputSource
  /** Rules as they are written in a configuration file; those of files are added. */
  readonly rules?: readonly unknown[]
  readonly models?: Models
  /** Finds the text in documents for models that take text alone (`@portico/servers/documents` has one for PDF). */
  readonly readDocument?: DocumentReader
  /** Looks at what goes to and comes from a model for a server's sampling request. */
  readonly samplingFilter?: SafetyFilter
  /** Shows every sampled answer to the user before the server gets it. */
  readonly reviewSampling?: boolean
  /** How many tools a model is shown; when there are more, it gets tools to search them instead. */
  readonly maxTools?: number
  /** How long turns wait for tasks, how many may run, and whether those of earlier processes are taken up again. */
  readonly tasks?: HostTaskOptions
  /** Resources that go along with every message, as they are at that moment. */
  readonly attach?: readonly AttachRule[]
  /** Adds to how targets are resolved: sign-in, TLS. */
  readonly resolve?: (plain: TargetResolver) => TargetResolver
  /** How the user signs in to protected servers. */
  readonly signIn?: Omit<SignInOptions, 'stateDir'>
  readonly upstreams?: Pick<UpstreamsOptions, 'breaker' | 'idleMs' | 'telemetry' | 'info' | 'watchdog'>
  /** `await import('@opentelemetry/api')`: spans for acts and for requests to servers, with what was decided about them. */
  readonly telemetry?: HostTelemetryApi
  /** Told of what is not right and harms nothing: a state file that was set aside. */
  readonly onWarning?: (message: string) => void
}

/** The part of `@opentelemetry/api` that a host uses. */
export type HostTelemetryApi = ClientTelemetryApi & DecisionTelemetryApi

/** How a host treats tasks; each has its own default. */
export interface HostTaskOptions {
  /** How long a turn waits for a task that the model has begun; 10 seconds unless given. */
  readonly attendMs?: number
  /** Tasks that run at once for one conversation; 20 unless given. A turn waits for what is beyond. */
  readonly perSession?: number
  /** The same for one server; 50 unless given. */
  readonly perServer?: number
  /** Goes on with tasks of earlier processes as soon as their server is there. True unless given. */
  readonly resume?: boolean
}

/** Names a resource of a server that is added to every message of a conversation. */
export interface AttachRule {
  readonly server: string
  readonly uri: string
  /** When it is larger, it is left out and that is said; 200,000 unless given. */
  readonly maxBytes?: number
}

/** On whose behalf, as part of what, and how far an act may go. */
export interface ActOptions {
  /** The conversation, command or downstream session that it is part of. */
  readonly session?: string
  readonly principal?: Principal
  readonly unattended?: boolean
  /** A model decided it: what the conversation has seen may have led to it. A person does it by hand unless given. */
  readonly byModel?: boolean
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: Progress) => void
  /** Told the id of a question while a person is being asked. */
  readonly onWaiting?: (question: string | undefined) => void
  readonly traceId?: string
}

/** Options of `host.converse`: which model answers, with which tools, and what the conversation may use up. */
export interface ConverseOptions {
  /** Names the conversation; what is remembered for the session holds within it. */
  readonly session: string
  readonly model?: string
  readonly system?: string
  /** A project of the configuration, whose servers, attached resources, instructions and rules hold in it. */
  readonly project?: string
  readonly budget?: Partial<BudgetLimits>
  readonly saved?: SavedConversation
  /** Only these tools, by their names in the catalogue. */
  readonly tools?: readonly string[]
  /** Told what could not be attached to a message, instead of the host's own `onWarning`. */
  readonly onWarning?: (message: string) => void
  /** Told when a task of the conversation is over and its result is in it: `proceed` lets the model take it up. */
  readonly onTask?: (arrival: TaskArrival) => void
  /** Told of a question that the reading of what goes along waits for. */
  readonly onWaiting?: ActOptions['onWaiting']
}

export const DEFAULT_MAX_TOOLS = 80
export const DEFAULT_ATTEND_MS = 10_000
export const DEFAULT_TASKS_PER_SESSION = 20
export const DEFAULT_TASKS_PER_SERVER = 50
