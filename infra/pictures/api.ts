/** API client of the owner of a new organization. */

export interface OwnerApi {
  /** Session cookie, as `name=value`. */
  cookie: string
  post<Reply>(path: string, body: object): Promise<Reply>
}

/** Registers an account and its organization. */
export const signUp = async (origin: string, organizationName: string): Promise<OwnerApi> => {
  const send = async (path: string, body: object, cookie = ''): Promise<Response> => {
    const response = await fetch(`${origin}/api/v1${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie },
      body: JSON.stringify(body),
    })
    if (!response.ok)
      throw new Error(`${path} responded with ${response.status}: ${await response.text()}`)
    return response
  }
  const response = await send('/auth/register', {
    email: 'olga@northwind.example',
    password: 'correct horse battery',
    name: 'Olga Owner',
    organizationName,
  })
  const cookie = response.headers.getSetCookie()[0]?.split(';', 1)[0] ?? ''
  return {
    cookie,
    async post<Reply>(path: string, body: object): Promise<Reply> {
      const created = await send(path, body, cookie)
      return (await created.json()) as Reply
    },
  }
}
