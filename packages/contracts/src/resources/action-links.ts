/**
 * Action links of on-call alerts and incident drafts: a page in the browser, by the token in a mail
 * or text message.
 */
import { type Static, Type } from '@sinclair/typebox'
import { operationsOf } from '../operation.ts'
import { OneOf } from '../scalars.ts'

export const linkActions = ['acknowledge', 'resolve', 'publish', 'veto'] as const
export type LinkAction = (typeof linkActions)[number]

const TokenParams = Type.Object({ token: Type.String({ minLength: 1, maxLength: 128 }) })

const ActionForm = Type.Object({ action: OneOf(linkActions) })
export type ActionForm = Static<typeof ActionForm>

export const actionLinkOperations = operationsOf('core', 'action-links', {
  page: {
    route: 'GET /actions/{token}',
    base: 'root',
    summary: 'Read the page of an action link',
    description:
      'Shows the on-call alert or the incident draft with the actions that are possible. ' +
      'Changes nothing.',
    permission: 'public',
    bucket: 'public read',
    params: TokenParams,
    reply: Type.String(),
    produces: ['text/html'],
  },
  submit: {
    route: 'POST /actions/{token}',
    base: 'root',
    summary: 'Submit an action of an action link',
    description:
      'Follows the rules of the JSON operation of the same name, with the recipient of the link ' +
      'as the actor. 404 for a link that is altered, expired or whose recipient has left; 409 ' +
      'when the action has taken place already.',
    permission: 'public',
    bucket: 'public',
    params: TokenParams,
    body: ActionForm,
    bodyType: 'form',
    reply: Type.String(),
    produces: ['text/html'],
  },
})
