/** Agent of a private location: makes its checks and sends their results to the service. */
export { type AgentOptions, runAgent } from './agent.ts'
