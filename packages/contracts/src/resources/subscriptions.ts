/** Subscriptions: a subscriber's own door, opened by the token in a mail. */
import { Type } from '@sinclair/typebox'
import { operation } from '../operation.ts'
import { Success } from '../scalars.ts'

const TokenParams = Type.Object({ token: Type.String({ minLength: 1, maxLength: 128 }) })
const OneClick = Type.Object({ 'List-Unsubscribe': Type.Optional(Type.String()) })

export const subscriptionOperations = {
  unsubscribe: operation({
    id: 'subscriptions.unsubscribe',
    service: 'core',
    method: 'POST',
    path: '/public/subscriptions/{token}/unsubscribe',
    status: 200,
    summary: 'End a subscription; may be repeated',
    permission: 'public',
    bucket: 'public',
    params: TokenParams,
    body: OneClick,
    bodyType: 'form',
    reply: Success,
  }),
  managePage: operation({
    id: 'subscriptions.managePage',
    service: 'core',
    method: 'GET',
    path: '/subscriptions/{token}',
    base: 'root',
    status: 200,
    summary: 'Page with the button that ends a subscription',
    permission: 'public',
    bucket: 'public read',
    params: TokenParams,
    reply: Type.String(),
    produces: ['text/html'],
  }),
  unsubscribeForm: operation({
    id: 'subscriptions.unsubscribeForm',
    service: 'core',
    method: 'GET',
    path: '/subscriptions/{token}/unsubscribe',
    base: 'root',
    status: 200,
    summary: 'The same page, for readers who open the address of the mail header',
    permission: 'public',
    bucket: 'public read',
    params: TokenParams,
    reply: Type.String(),
    produces: ['text/html'],
  }),
  unsubscribePage: operation({
    id: 'subscriptions.unsubscribePage',
    service: 'core',
    method: 'POST',
    path: '/subscriptions/{token}/unsubscribe',
    base: 'root',
    status: 200,
    summary: 'End a subscription from a mail program or the page (RFC 8058)',
    permission: 'public',
    bucket: 'public',
    params: TokenParams,
    body: OneClick,
    bodyType: 'form',
    reply: Type.String(),
    produces: ['text/html'],
  }),
}
