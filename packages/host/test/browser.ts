/** A browser as far as the pages need one: keeps cookies by path, follows redirects within a site, fills in forms. */

export interface Page {
  readonly status: number
  readonly url: string
  readonly headers: Headers
  readonly html: string
}

interface Cookie {
  readonly value: string
  readonly path: string
}

export class Browser {
  readonly #cookies = new Map<string, Cookie>()
  /** `Set-Cookie` lines as they came. */
  readonly received: string[] = []
  readonly #proxy: { readonly outside: string; readonly inside: string } | undefined

  /** With a proxy, `outside` is the origin that the browser believes in and `inside` where requests for it go. */
  constructor(proxy?: { readonly outside: string; readonly inside: string }) {
    this.#proxy = proxy
  }

  /** Follows redirects until a page, or until one leads away from `within`. */
  async open(url: string, init: RequestInit = {}, within = new URL(url).origin): Promise<Page> {
    let response = await this.#send(url, init)
    let at = url
    for (let hops = 0; hops < 10 && response.status >= 300 && response.status < 400; hops++) {
      const next = new URL(response.headers.get('location') ?? '', at)
      at = next.href
      if (next.origin !== within) return { status: response.status, url: at, headers: response.headers, html: '' }
      response = await this.#send(at, {})
    }
    return { status: response.status, url: at, headers: response.headers, html: await response.text() }
  }

  /** Sends the page's form with its hidden fields and what is given. */
  submit(
    page: Page,
    fields: { readonly [name: string]: string },
    headers: { [name: string]: string } = {},
  ): Promise<Page> {
    const action = /<form[^>]* action="([^"]+)"/.exec(page.html)?.[1] ?? ''
    const hidden = [...page.html.matchAll(/type="hidden" name="([^"]+)" value="([^"]*)"/g)].map(([, name, value]) => [
      name,
      value,
    ])
    const body = new URLSearchParams({ ...Object.fromEntries(hidden), ...fields })
    const origin = new URL(page.url).origin
    return this.open(new URL(action, page.url).href, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin, ...headers },
      body: body.toString(),
    })
  }

  #forwarded(): { [name: string]: string } {
    if (this.#proxy === undefined) return {}
    const { protocol, host } = new URL(this.#proxy.outside)
    return { 'x-forwarded-proto': protocol.slice(0, -1), 'x-forwarded-host': host }
  }

  async #send(url: string, init: RequestInit): Promise<Response> {
    const { pathname } = new URL(url)
    const cookie = [...this.#cookies]
      .filter(([, { path }]) => pathname.startsWith(path))
      .map(([name, { value }]) => `${name}=${value}`)
      .join('; ')
    const response = await fetch(
      this.#proxy === undefined ? url : url.replace(this.#proxy.outside, this.#proxy.inside),
      {
        ...init,
        redirect: 'manual',
        headers: { ...init.headers, cookie, ...this.#forwarded() },
      },
    )
    for (const line of response.headers.getSetCookie()) {
      this.received.push(line)
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      const path = /; path=([^;]+)/i.exec(line)?.[1] ?? '/'
      if (value === '') this.#cookies.delete(name)
      else this.#cookies.set(name, { value, path })
    }
    return response
  }
}
