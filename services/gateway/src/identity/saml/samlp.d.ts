/** Types of the functions of samlp, the independent identity provider of the tests. */
declare module 'samlp' {
  type Callback<T> = (error: Error | null, value: T) => void
  interface Request {
    id: string
    issuer: string
    assertionConsumerServiceURL: string
    destination: string
  }
  interface ResponseOptions {
    issuer: string
    cert: string
    key: string
    destination: string
    recipient: string
    audience: string
    inResponseTo: string
    signResponse?: boolean
    signAssertion?: boolean
    signatureAlgorithm: 'rsa-sha1' | 'rsa-sha256'
    digestAlgorithm: 'sha1' | 'sha256'
    nameIdentifierFormat?: string
  }
  const samlp: {
    parseRequest(
      request: { method: string; query: { SAMLRequest: string } },
      callback: Callback<Request>,
    ): void
    getSamlResponse(options: ResponseOptions, user: object, callback: Callback<string>): void
    metadata(options: {
      issuer: string
      cert: string
      redirectEndpointPath: string
      postEndpointPath: string
    }): (
      request: { originalUrl: string; headers: Record<string, string> },
      response: { set(name: string, value: string): void; send(body: string): void },
    ) => void
  }
  export default samlp
}
