/** Opens conversations of a host: what their model may use, what goes along with their messages, whose words it is told. */

import { callListener } from '../../config/call-listener.ts'
import { DefinitionWords } from '../../guard/definition-words.ts'
import { admit } from '../../guard/foreign-text.ts'
import type { OpenGuard } from '../../guard/guard.ts'
import { Conversation } from '../../model/conversation.ts'
import type { Models } from '../../model/models.ts'
import { recall } from '../../model/origins.ts'
import type { Catalogue } from '../../upstream/catalogue/catalogue.ts'
import type { PinStore } from '../../upstream/pins/pins.ts'
import type { Upstreams } from '../../upstream/upstreams.ts'
import { DEFAULT_SESSION } from '../circumstances.ts'
import type { Configuration } from '../configuration.ts'
import type { GuardedActions } from '../guarded-actions.ts'
import type { ActOptions, ConverseOptions, HostOptions } from '../options.ts'
import type { TaskFollowing } from '../tasks/task-following.ts'
import { type AttachedPiece, type Attachment, type AttachmentParts, fetchPage, readAttachment } from './attachments.ts'
import { createModelTools } from './model-tools.ts'
import type { Project } from './projects.ts'
import type { Sessions } from './sessions.ts'

interface ConversationParts {
  readonly configuration: Configuration
  readonly sessions: Sessions
  readonly guard: OpenGuard
  readonly models: Models
  readonly upstreams: Upstreams
  readonly catalogue: Catalogue
  readonly pins: PinStore
  readonly actions: GuardedActions
  readonly tasks: TaskFollowing
}

export class Conversations {
  readonly #options: HostOptions
  readonly #parts: ConversationParts
  readonly #definitions = new DefinitionWords()

  constructor(options: HostOptions, parts: ConversationParts) {
    this.#options = options
    this.#parts = parts
  }

  open(options: ConverseOptions): Conversation {
    const { configuration, sessions, models, guard } = this.#parts
    const { model, system, budget, saved, session } = options
    const project = configuration.project(options.project)
    const modelTools = createModelTools(this.#modelToolsParts(), options, project?.servers)
    const provenance = () => sessions.provenance(session)
    if (project !== undefined) sessions.rules.set(session, project.rules)
    if (saved !== undefined) recall(saved, provenance(), (server) => this.#isTrusted(server))
    // What the person says themselves is nobody else's data.
    const onUser = (text: string): void => {
      guard.beginTurn(session)
      provenance().noteUser(text)
    }
    const admitText = (server: string, text: string): string =>
      admit(text, { server, trusted: this.#isTrusted(server) }, provenance())
    const conversation = new Conversation(
      {
        models,
        modelTools,
        model,
        system,
        instructions: project?.instructions,
        budget,
        onUser,
        attached: this.#attached(options, project),
        media: { readDocument: this.#options.readDocument, admit: admitText },
      },
      saved,
    )
    this.#parts.tasks.receive(session, (arrival) => {
      const { label, server, tool } = arrival.task
      conversation.receive({ ...arrival, label, server, tool })
      callListener(options.onTask, arrival)
    })
    return conversation
  }

  /** Puts a resource or prompt into a conversation's next message, with its origin. */
  async attach(conversation: Conversation, attachment: Attachment, options: ActOptions): Promise<AttachedPiece> {
    const piece = await readAttachment(attachment, this.#attachmentParts(), options)
    conversation.attach(piece)
    return piece
  }

  /** Reads what goes along with a message, each time one is sent. */
  #attached({ session, onWaiting, onWarning }: ConverseOptions, project: Project | undefined) {
    const { configuration, sessions } = this.#parts
    const { attached } = sessions
    const warn = onWarning ?? this.#options.onWarning ?? (() => {})
    return (signal: AbortSignal) => {
      const rules = [...configuration.attachedTo(project), ...attached.pins(session)]
      return attached.read(session, rules, this.#attachmentParts(), { session, signal, onWaiting, onWarning: warn })
    }
  }

  #modelToolsParts() {
    const { actions, catalogue, upstreams, pins, sessions } = this.#parts
    const provenance = (session: string) => sessions.provenance(session)
    const { maxTools, tasks } = this.#options
    return {
      actions,
      catalogue,
      upstreams,
      pins,
      maxTools,
      attendMs: tasks?.attendMs,
      definitions: this.#definitions,
      provenance,
    }
  }

  #attachmentParts(): AttachmentParts {
    const { actions, catalogue, sessions } = this.#parts
    return {
      actions,
      trusts: (server) => this.#isTrusted(server),
      context: ({ session = DEFAULT_SESSION }) => sessions.provenance(session),
      offers: (uri) => catalogue.find(uri, 'resource') !== undefined,
      fetchPage,
    }
  }

  #isTrusted(server: string): boolean {
    return this.#parts.upstreams.config(server)?.settings.trusted ?? false
  }
}
