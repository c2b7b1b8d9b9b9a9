/** Subscriptions: a subscriber's own door, opened by the token in a mail; signing up is the way to one. */
import { type Static, Type } from '@sinclair/typebox'
import { operation } from '../operation.ts'
import { Email, HttpUrl, Id, OneOf, Phone, ShownSecret, Success, TaggedUnion } from '../scalars.ts'
import {
  subscriberChoices,
  subscriberEvents,
  subscriberStatuses,
  subscriberTypes,
  WebhookSecret,
} from './subscribers.ts'

const SlugParams = Type.Object({ slug: Type.String({ maxLength: 63 }) })
const TokenParams = Type.Object({ token: Type.String({ minLength: 1, maxLength: 128 }) })
const OneClick = Type.Object({ 'List-Unsubscribe': Type.Optional(Type.String()) })

export const SignUp = TaggedUnion('type', [
  Type.Object({ type: Type.Literal('email'), email: Email, ...subscriberChoices }),
  Type.Object({ type: Type.Literal('sms'), phone: Phone, ...subscriberChoices }),
  Type.Object({
    type: Type.Literal('webhook'),
    webhookUrl: HttpUrl,
    webhookSecret: Type.Optional(WebhookSecret),
    ...subscriberChoices,
  }),
])
export type SignUp = Static<typeof SignUp>

const Confirmation = Type.Object({
  token: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
  phone: Type.Optional(Phone),
  code: Type.Optional(Type.String({ pattern: '^[0-9]{6}$' })),
})
export type Confirmation = Static<typeof Confirmation>

export const Subscription = Type.Object({
  type: OneOf(subscriberTypes),
  destination: Type.String({ description: 'Recognisable, not the whole address' }),
  status: OneOf(subscriberStatuses),
  componentIds: Type.Array(Id),
  events: Type.Array(OneOf(subscriberEvents)),
  components: Type.Array(Type.Object({ id: Id, name: Type.String() }), {
    description: 'What there is to choose from',
  }),
})
export type Subscription = Static<typeof Subscription>

const SubscriptionPatch = Type.Object(subscriberChoices)
export type SubscriptionPatch = Static<typeof SubscriptionPatch>

/** `component-<id>` and `event-<name>` are the boxes that are ticked. */
const ManageForm = Type.Object({
  scope: OneOf(['all', 'some'], { default: 'all', description: 'All components, or those ticked' }),
})

export const subscriptionOperations = {
  subscribe: operation({
    id: 'subscriptions.subscribe',
    service: 'core',
    method: 'POST',
    path: '/public/status/{slug}/subscribe',
    status: 202,
    summary: 'Subscribe to a published page',
    description:
      'The same answer for every address. A new one is asked to confirm: by a link that lasts ' +
      '7 days, a code that lasts 15 minutes, or a POST of `{"type":"subscription.verification",' +
      '"token","confirmUrl"}` to the webhook. A subscriber that is active is sent the link to ' +
      'manage the subscription. An address is written to at most three times in 24 hours, an ' +
      'IP signs up at most ten times an hour.',
    permission: 'public',
    bucket: 'public',
    alsoCounts: ['sign_up'],
    params: SlugParams,
    body: SignUp,
    reply: Type.Object({ status: Type.Literal('unconfirmed') }),
  }),
  confirm: operation({
    id: 'subscriptions.confirm',
    service: 'core',
    method: 'POST',
    path: '/public/subscriptions/confirm',
    status: 200,
    summary: 'Confirm a subscription',
    description:
      'By the `token` of the link or webhook, or by `phone` and `code`. Once; a code is ' +
      'forgotten after five wrong ones.',
    permission: 'public',
    bucket: 'public',
    body: Confirmation,
    reply: Type.Object({
      status: Type.Literal('active'),
      manageToken: ShownSecret('Opens the subscription’s own page'),
    }),
  }),
  read: operation({
    id: 'subscriptions.read',
    service: 'core',
    method: 'GET',
    path: '/public/subscriptions/{token}',
    status: 200,
    summary: "Read one's subscription",
    permission: 'public',
    bucket: 'public read',
    params: TokenParams,
    reply: Subscription,
  }),
  update: operation({
    id: 'subscriptions.update',
    service: 'core',
    method: 'PATCH',
    path: '/public/subscriptions/{token}',
    status: 200,
    summary: "Change what one's subscription is about",
    description:
      'Components are those that `components` lists, and those chosen already. Nothing can be ' +
      'changed after unsubscribing (409 `invalid_state`).',
    permission: 'public',
    bucket: 'public',
    params: TokenParams,
    body: SubscriptionPatch,
    reply: Subscription,
  }),
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
  confirmPage: operation({
    id: 'subscriptions.confirmPage',
    service: 'core',
    method: 'GET',
    path: '/subscriptions/confirm/{token}',
    base: 'root',
    status: 200,
    summary: 'Page with the button that confirms a subscription',
    permission: 'public',
    bucket: 'public read',
    params: TokenParams,
    reply: Type.String(),
    produces: ['text/html'],
  }),
  confirmForm: operation({
    id: 'subscriptions.confirmForm',
    service: 'core',
    method: 'POST',
    path: '/subscriptions/confirm/{token}',
    base: 'root',
    status: 200,
    summary: 'Confirm a subscription from that page',
    permission: 'public',
    bucket: 'public',
    params: TokenParams,
    bodyType: 'form',
    reply: Type.String(),
    produces: ['text/html'],
  }),
  managePage: operation({
    id: 'subscriptions.managePage',
    service: 'core',
    method: 'GET',
    path: '/subscriptions/{token}',
    base: 'root',
    status: 200,
    summary: 'Page on which a subscription is changed or ended',
    permission: 'public',
    bucket: 'public read',
    params: TokenParams,
    reply: Type.String(),
    produces: ['text/html'],
  }),
  manageForm: operation({
    id: 'subscriptions.manageForm',
    service: 'core',
    method: 'POST',
    path: '/subscriptions/{token}',
    base: 'root',
    status: 200,
    summary: 'Change a subscription from that page',
    permission: 'public',
    bucket: 'public',
    params: TokenParams,
    body: ManageForm,
    bodyType: 'form',
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
    summary: 'Page with the button that ends a subscription, for who opens the mail header',
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
