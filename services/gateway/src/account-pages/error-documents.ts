/** Errors of account pages as documents, for clients that accept HTML. */
import { type ErrorBody, isAccountPage } from '@status-page/contracts'
import { HTML_CONTENT_TYPE, visitorLocale } from '@status-page/html'
import { textsByLocale } from '@status-page/html/texts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { paragraph, renderAccountPage } from './document.ts'
import { retryTime } from './form-refusal.ts'
import type { AccountVisitor } from './visitor.ts'

export const registerErrorDocuments = (fastify: FastifyInstance, baseUrl: string): void => {
  fastify.addHook('onSend', (request, reply, payload, done) => {
    if (typeof payload !== 'string' || !isErrorOfPage(request, reply)) return done(null, payload)
    const { error } = JSON.parse(payload) as ErrorBody
    const locale = visitorLocale(request.headers['accept-language'])
    const visitor: AccountVisitor = {
      baseUrl,
      locale,
      texts: textsByLocale[locale].accountPages,
      isSignedIn: false,
    }
    const { body, headers } = renderAccountPage(visitor, {
      title: titleOf(visitor, error),
      content: paragraph(messageOf(visitor, error, reply)),
    })
    reply.headers(headers).type(HTML_CONTENT_TYPE)
    done(null, body)
  })
}

const isErrorOfPage = ({ operation, headers }: FastifyRequest, reply: FastifyReply): boolean =>
  operation !== undefined &&
  isAccountPage(operation) &&
  String(headers.accept ?? '').includes('text/html') &&
  String(reply.getHeader('content-type')).startsWith('application/json')

type ErrorFields = ErrorBody['error']

const reasonOf = ({ details }: ErrorFields): unknown => details?.reason

const isClosed = (error: ErrorFields): boolean => reasonOf(error) === 'registration_closed'

const titleOf = ({ texts, locale }: AccountVisitor, error: ErrorFields): string => {
  if (isClosed(error)) return texts.register.closed
  return error.code === 'NOT_FOUND' ? textsByLocale[locale].statusPage.unknown : texts.problemTitle
}

const messageOf = (
  { texts, locale }: AccountVisitor,
  error: ErrorFields,
  reply: FastifyReply,
): string => {
  const { problems, register } = texts
  if (isClosed(error)) return register.closedIntro
  switch (error.code) {
    case 'FORBIDDEN':
      return reasonOf(error) === 'cross_site' ? problems.crossSite : problems.forbidden
    case 'NOT_FOUND':
      return textsByLocale[locale].statusPage.unknownIntro
    case 'RATE_LIMIT_EXCEEDED': {
      const retryAfter = String(reply.getHeader('retry-after') ?? 1)
      return problems.tooMany.replace(
        '{}',
        retryTime({ headers: { 'retry-after': retryAfter } }, locale),
      )
    }
    case 'SERVICE_UNAVAILABLE':
      return problems.unavailable
    case 'INTERNAL_ERROR':
    case 'UPSTREAM_ERROR':
    case 'UPSTREAM_TIMEOUT':
      return problems.failed
    default:
      return problems.malformed
  }
}
