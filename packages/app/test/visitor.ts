/** A browser and the person before it: follows redirects, fills in every form, notes the titles of those it was shown. */
export class Visitor {
  readonly titles: string[] = []
  readonly #cookies = new Map<string, Map<string, string>>()
  readonly #fields: { readonly [name: string]: string }

  readonly #back: string

  /** `fields` are what the person types, `back` the place that a program waits at. */
  constructor(fields: { readonly [name: string]: string }, back: string) {
    this.#fields = fields
    this.#back = back
  }

  /** Ends at a page without a form, or where it is sent to the place that a program waits at. */
  async walk(start: string): Promise<{ readonly url: URL; readonly status: number; readonly html: string }> {
    let url = new URL(start)
    let form: URLSearchParams | undefined
    for (let step = 0; step < 30; step++) {
      if (url.href.startsWith(this.#back)) return { url, status: 200, html: '' }
      const response = await this.#send(url, form)
      form = undefined
      const next = response.headers.get('location')
      if (next !== null) {
        url = new URL(next, url)
        continue
      }
      const html = await response.text()
      if (!html.includes('<form')) return { url, status: response.status, html }
      this.titles.push(/<h1[^>]*>([^<]+)/.exec(html)?.[1] ?? '')
      const hidden = [...html.matchAll(/name="([^"]+)" value="([^"]*)"/g)].map(([, name, value]) => [name, value])
      const decision = html.includes('type="password"') ? 'login' : 'allow'
      form = new URLSearchParams({ ...Object.fromEntries(hidden), ...this.#fields, decision })
      url = new URL(/<form[^>]* action="([^"]+)"/.exec(html)?.[1]?.replaceAll('&amp;', '&') ?? url.href, url)
    }
    throw new Error(`no way through ${start}`)
  }

  async #send(url: URL, form: URLSearchParams | undefined): Promise<Response> {
    const jar = this.#cookies.get(url.origin) ?? new Map<string, string>()
    this.#cookies.set(url.origin, jar)
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const init = form === undefined ? {} : { method: 'POST', body: form }
    const headers = { cookie, ...(form && { origin: url.origin }) }
    const response = await fetch(url, { ...init, redirect: 'manual', headers })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value === '') jar.delete(name)
      else jar.set(name, value)
    }
    return response
  }
}
