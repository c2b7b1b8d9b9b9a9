/** Subscriptions: a subscriber's own access, by the token in each message; sign-up creates one. */
import { type Static, Type } from '@sinclair/typebox'
import { operationsOf } from '../operation.ts'
import {
  Email,
  HttpUrl,
  Id,
  Nullable,
  OneOf,
  OneTimeSecret,
  Phone,
  Success,
  TaggedUnion,
} from '../scalars.ts'
import {
  subscriberEvents,
  subscriberStatuses,
  subscriberTypes,
  subscriptionFilters,
  WebhookSecret,
} from './subscribers.ts'

const SlugParams = Type.Object({ slug: Type.String({ maxLength: 63 }) })
const TokenParams = Type.Object({ token: Type.String({ minLength: 1, maxLength: 128 }) })
const OneClick = Type.Object({ 'List-Unsubscribe': Type.Optional(Type.String()) })

const signUpScope = {
  ...subscriptionFilters,
  incidentId: Type.Optional({
    ...Id,
    description: 'Unresolved incident of the page; without `componentIds` and `events`',
  }),
}

export const SignUp = TaggedUnion('type', [
  Type.Object({ type: Type.Literal('email'), email: Email, ...signUpScope }),
  Type.Object({ type: Type.Literal('sms'), phone: Phone, ...signUpScope }),
  Type.Object({
    type: Type.Literal('webhook'),
    webhookUrl: HttpUrl,
    webhookSecret: Type.Optional(WebhookSecret),
    ...signUpScope,
  }),
])
export type SignUp = Static<typeof SignUp>

const SubscriptionConfirmation = Type.Object({
  token: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
  phone: Type.Optional(Phone),
  code: Type.Optional(Type.String({ pattern: '^[0-9]{6}$' })),
})
export type SubscriptionConfirmation = Static<typeof SubscriptionConfirmation>

export const Subscription = Type.Object({
  type: OneOf(subscriberTypes),
  destination: Type.String({ description: 'Abbreviated address' }),
  status: OneOf(subscriberStatuses),
  componentIds: Type.Array(Id),
  events: Type.Array(OneOf(subscriberEvents)),
  incidentId: Nullable(Id),
  components: Type.Array(Type.Object({ id: Id, name: Type.String() }), {
    description: 'Components that can be selected',
  }),
})
export type Subscription = Static<typeof Subscription>

const SubscriptionPatch = Type.Object(subscriptionFilters)
export type SubscriptionPatch = Static<typeof SubscriptionPatch>

/** Checked boxes are `component-<id>` and `event-<name>`. */
const ManageForm = Type.Object({
  scope: OneOf(['all', 'some'], {
    default: 'all',
    description: 'All components, or the selected ones',
  }),
})

export const subscriptionOperations = operationsOf('core', 'subscriptions', {
  subscribe: {
    route: 'POST /public/status/{slug}/subscribe',
    status: 202,
    summary: 'Subscribe to a published page or to one of its incidents',
    description:
      'Returns the same response for every address. A new address receives a confirmation ' +
      'request: a link valid for 7 days, a code valid for 15 minutes, or a POST of ' +
      '`{"type":"subscription.verification","token","confirmUrl"}` to the webhook. An active ' +
      'subscriber receives the link to manage the subscription. At most three messages per ' +
      'address in 24 hours, and ten sign-ups per IP address and hour. Absent `componentIds` and ' +
      '`events` are those of `subscriberDefaults` of the page. With `incidentId` only the ' +
      'updates of that incident are sent; the subscription is deleted seven days after the ' +
      'resolution. 404 for an unknown incident, 409 `invalid_state` for a resolved one.',
    permission: 'public',
    bucket: 'public',
    alsoCounts: ['sign_up'],
    params: SlugParams,
    body: SignUp,
    reply: Type.Object({ status: Type.Literal('unconfirmed') }),
  },
  confirm: {
    route: 'POST /public/subscriptions/confirm',
    summary: 'Confirm a subscription',
    description:
      'Requires the `token` of the link or webhook, or `phone` and `code`. Valid once; a code ' +
      'becomes invalid after five wrong ones.',
    permission: 'public',
    bucket: 'public',
    body: SubscriptionConfirmation,
    reply: Type.Object({
      status: Type.Literal('active'),
      manageToken: OneTimeSecret('Token for reading and changing the subscription'),
    }),
  },
  read: {
    route: 'GET /public/subscriptions/{token}',
    summary: 'Read a subscription',
    permission: 'public',
    bucket: 'public read',
    params: TokenParams,
    reply: Subscription,
  },
  update: {
    route: 'PATCH /public/subscriptions/{token}',
    summary: 'Update a subscription',
    description:
      'Components must be listed in `components` or be selected already. 409 `invalid_state` ' +
      'after unsubscribing, and for a subscription to one incident.',
    permission: 'public',
    bucket: 'public',
    params: TokenParams,
    body: SubscriptionPatch,
    reply: Subscription,
  },
  unsubscribe: {
    route: 'POST /public/subscriptions/{token}/unsubscribe',
    summary: 'Unsubscribe',
    permission: 'public',
    bucket: 'public',
    params: TokenParams,
    body: OneClick,
    bodyType: 'form',
    reply: Success,
  },
  confirmPage: {
    route: 'GET /subscriptions/confirm/{token}',
    base: 'root',
    summary: 'Read the page that confirms a subscription',
    permission: 'public',
    bucket: 'public read',
    params: TokenParams,
    reply: Type.String(),
    produces: ['text/html'],
  },
  confirmForm: {
    route: 'POST /subscriptions/confirm/{token}',
    base: 'root',
    summary: 'Submit the confirmation of a subscription',
    permission: 'public',
    bucket: 'public',
    params: TokenParams,
    bodyType: 'form',
    reply: Type.String(),
    produces: ['text/html'],
  },
  managePage: {
    route: 'GET /subscriptions/{token}',
    base: 'root',
    summary: 'Read the page that manages a subscription',
    permission: 'public',
    bucket: 'public read',
    params: TokenParams,
    reply: Type.String(),
    produces: ['text/html'],
  },
  manageForm: {
    route: 'POST /subscriptions/{token}',
    base: 'root',
    summary: 'Submit changes of a subscription',
    permission: 'public',
    bucket: 'public',
    params: TokenParams,
    body: ManageForm,
    bodyType: 'form',
    reply: Type.String(),
    produces: ['text/html'],
  },
  unsubscribeForm: {
    route: 'GET /subscriptions/{token}/unsubscribe',
    base: 'root',
    summary: 'Read the page that ends a subscription',
    permission: 'public',
    bucket: 'public read',
    params: TokenParams,
    reply: Type.String(),
    produces: ['text/html'],
  },
  unsubscribePage: {
    route: 'POST /subscriptions/{token}/unsubscribe',
    base: 'root',
    summary: 'Unsubscribe by mail client or page (RFC 8058)',
    permission: 'public',
    bucket: 'public',
    params: TokenParams,
    body: OneClick,
    bodyType: 'form',
    reply: Type.String(),
    produces: ['text/html'],
  },
})
