/**
 * What happens between the request for authorization and its answer: the person signs in and decides. The library says
 * which of the two is due and binds both to a cookie; here are the forms, their checks, and the grant that follows.
 */

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { InteractionResults } from 'oidc-provider'
import { sendPage } from './page-response.ts'
import { consentPage, loginPage, messagePage } from './pages.ts'
import type { Provider } from './provider.ts'
import { type InteractionParams, readForm, toFormTarget, toShownClient } from './request-form.ts'
import type { Users } from './users.ts'

type Details = Awaited<ReturnType<Provider['interactionDetails']>>

interface InteractionOptions {
  readonly provider: Provider
  readonly users: Users
  /** The one user's name, where only a password is asked for. */
  readonly singleUser: string | undefined
  readonly origin: string
  /** Where a request comes from, to count guesses by. */
  readonly sourceOf: (req: IncomingMessage) => string
}

export class Interactions {
  readonly #options: InteractionOptions
  readonly #secret = randomBytes(32)

  constructor(options: InteractionOptions) {
    this.#options = options
  }

  async handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    let details: Details
    try {
      details = await this.#options.provider.interactionDetails(req, res)
    } catch {
      // The cookie is missing or the time is over: whose request it was cannot be told.
      sendPage(res, 400, messagePage('This request is over', 'Go back to the application and begin again.'))
      return
    }
    if (req.method === 'GET') return this.#show(res, details)
    if (req.method !== 'POST') return sendPage(res, 405, messagePage('Not allowed', 'This page takes forms only.'))
    const form = this.#isOwnOrigin(req) ? await readForm(req) : undefined
    if (form === undefined || !this.#isGenuine(form.get('csrf'), details)) {
      return sendPage(res, 403, messagePage('Not accepted', 'The form did not come from this page. Begin again.'))
    }
    if (form.get('decision') === 'cancel') {
      return this.#finish(req, res, { error: 'access_denied', error_description: 'The user refused' })
    }
    if (details.prompt.name === 'login') return this.#login(req, res, details, form)
    if (form.get('decision') === 'allow') return this.#allow(req, res, details)
    return this.#show(res, details)
  }

  async #show(res: ServerResponse, details: Details, problem?: string): Promise<void> {
    const { provider, singleUser } = this.#options
    const { prompt, params, uid, session } = details
    const client = await provider.Client.find(String(params.client_id))
    if (client === undefined) return sendPage(res, 400, messagePage('Unknown application', 'Begin again.'))
    const target = toFormTarget(params as InteractionParams)
    const shown = toShownClient(client, params as InteractionParams)
    const form = { action: `/interaction/${uid}`, csrf: this.#token(details), client: shown }
    if (prompt.name === 'login') {
      const html = loginPage({ ...form, single: singleUser !== undefined, ...(problem !== undefined && { problem }) })
      return sendPage(res, problem === undefined ? 200 : 401, html, target)
    }
    const { resources, scopes } = missingOf(details)
    sendPage(res, 200, consentPage({ ...form, user: session?.accountId ?? '', resources, scopes }), target)
  }

  async #login(req: IncomingMessage, res: ServerResponse, details: Details, form: URLSearchParams): Promise<void> {
    const { users, singleUser, sourceOf } = this.#options
    const name = singleUser ?? form.get('name') ?? ''
    const outcome = await users.signIn(name, form.get('password') ?? '', sourceOf(req))
    if (outcome === 'ok') return this.#finish(req, res, { login: { accountId: name } })
    const problem = outcome === 'wrong' ? 'Name or password are not right.' : 'Too many attempts. Wait a minute.'
    return this.#show(res, details, problem)
  }

  /** Grants exactly what the page showed. */
  async #allow(req: IncomingMessage, res: ServerResponse, details: Details): Promise<void> {
    const { provider } = this.#options
    const { prompt, params, session, grantId } = details
    const existing = grantId === undefined ? undefined : await provider.Grant.find(grantId)
    const accountId = session?.accountId
    const grant =
      existing ?? new provider.Grant({ clientId: String(params.client_id), ...(accountId && { accountId }) })
    const { missingOIDCScope, missingResourceScopes } = prompt.details as PromptDetails
    if (missingOIDCScope !== undefined) grant.addOIDCScope(missingOIDCScope.join(' '))
    for (const [resource, scopes] of Object.entries(missingResourceScopes ?? {})) {
      grant.addResourceScope(resource, scopes.join(' '))
    }
    return this.#finish(req, res, { consent: { grantId: await grant.save() } })
  }

  #finish(req: IncomingMessage, res: ServerResponse, result: InteractionResults): Promise<void> {
    return this.#options.provider.interactionFinished(req, res, result, { mergeWithLastSubmission: 'login' in result })
  }

  #isOwnOrigin({ headers }: IncomingMessage): boolean {
    return headers.origin === undefined || headers.origin === this.#options.origin
  }

  /** For one interaction and one of its steps: a form from elsewhere cannot know it. */
  #token({ uid, jti, prompt }: Details): string {
    return createHmac('sha256', this.#secret).update(`${uid} ${jti} ${prompt.name}`).digest('base64url')
  }

  #isGenuine(token: string | null, details: Details): boolean {
    const expected = Buffer.from(this.#token(details))
    const given = Buffer.from(token ?? '')
    return given.length === expected.length && timingSafeEqual(given, expected)
  }
}

/** What the library found to be not granted yet. */
interface PromptDetails {
  readonly missingOIDCScope?: readonly string[]
  readonly missingResourceScopes?: { readonly [resource: string]: readonly string[] }
}

function missingOf({ prompt, params }: Details): { resources: string[]; scopes: string[] } {
  const { missingOIDCScope = [], missingResourceScopes = {} } = prompt.details as PromptDetails
  const asked =
    params.resource === undefined ? [] : Array.isArray(params.resource) ? params.resource : [params.resource]
  const resources = new Set([...Object.keys(missingResourceScopes), ...asked.map(String)])
  // A scope can be missing in both; people read it once, and what stands for the session comes last.
  const scopes = new Set([...Object.values(missingResourceScopes).flat(), ...missingOIDCScope])
  // All of it was granted before, and it is asked about again.
  if (scopes.size === 0) for (const scope of String(params.scope ?? '').split(' ')) scopes.add(scope)
  return { resources: [...resources], scopes: [...scopes] }
}
