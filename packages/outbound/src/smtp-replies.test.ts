import t from 'tap'
import { classifyReply, enhancedStatus, type MailFault } from './smtp-replies.ts'

const cases: [command: string, reply: string, fault: MailFault][] = [
  ['RCPT TO', '550 5.1.1 No such user', 'bad_address'],
  ['RCPT TO', '550 5.1.2 Bad domain', 'bad_address'],
  ['RCPT TO', '550-5.1.10 Null MX', 'bad_address'],
  ['RCPT TO', '550 5.2.1 Mailbox disabled', 'bad_address'],
  ['RCPT TO', '553 5.1.3 Bad syntax', 'bad_address'],
  ['RCPT TO', '550 No such user here', 'bad_address'],
  ['RCPT TO', '550 Blocked by our RBL', 'policy'],
  ['RCPT TO', '550 Relaying denied', 'policy'],
  ['RCPT TO', '550 5.7.1 Message refused', 'policy'],
  ['RCPT TO', '554 5.7.1 Poor reputation', 'policy'],
  ['DATA', '550 5.1.1 No such user', 'policy'],
  ['MAIL FROM', '550 5.1.8 Bad sender', 'policy'],
  ['DATA', '554 Transaction failed', 'policy'],
  ['RCPT TO', '552 Mailbox full', 'mailbox_full'],
  ['RCPT TO', '550 5.2.2 Over quota', 'mailbox_full'],
  ['DATA', '552 5.3.4 Too big', 'mailbox_full'],
  ['AUTH PLAIN', '535 5.7.8 Bad credentials', 'auth_failed'],
  ['AUTH LOGIN', '535 Authentication failed', 'auth_failed'],
  ['MAIL FROM', '530 5.7.0 Authentication required', 'auth_failed'],
  ['AUTH PLAIN', '454 4.7.0 Temporary failure', 'transient'],
  ['RCPT TO', '450 4.2.0 Greylisted', 'transient'],
  ['RCPT TO', '452 4.2.2 Over quota for now', 'transient'],
  ['CONN', '421 4.3.2 Shutting down', 'transient'],
  ['RCPT TO', '503 5.5.1 Bad sequence', 'transient'],
]

t.test('each reply has one class', async (t) => {
  for (const [command, text, fault] of cases) {
    const code = Number(text.slice(0, 3))
    t.equal(classifyReply({ command, code, text }), fault, `${command}: ${text}`)
  }
})

t.test('an enhanced status is read only at its position', async (t) => {
  t.equal(enhancedStatus('550 5.1.1 No'), '5.1.1')
  t.equal(enhancedStatus('550-5.1.10 No'), '5.1.10')
  t.equal(enhancedStatus('550 see 5.1.1'), null)
  t.equal(enhancedStatus('550 address 10.5.1.1'), null)
})
