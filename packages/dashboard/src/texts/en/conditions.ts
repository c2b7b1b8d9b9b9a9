/** English texts of the conditions of checks. */
export const conditions = {
  addCondition: 'Add a condition',
  condition: 'Condition {number}',
  conditionType: 'Type of condition {number}',
  comparator: 'Comparison of condition {number}',
  target: 'Expected value of condition {number}',
  conditionTypes: {
    STATUS_CODE: 'Status code',
    RESPONSE_TIME: 'Response time (ms)',
    JSON_PATH: 'JSON value',
    HEADER: 'Response header',
    BODY_CONTAINS: 'Body',
    BANNER: 'Server banner',
    CERTIFICATE_DAYS: 'Certificate, days left',
    DNS_RECORD: 'DNS record',
    DOMAIN_DAYS: 'Domain registration, days left',
  },
  comparators: {
    EQUALS: 'equals',
    NOT_EQUALS: 'does not equal',
    GREATER_THAN: 'is greater than',
    LESS_THAN: 'is less than',
    CONTAINS: 'contains',
    EXISTS: 'exists',
    NOT_EXISTS: 'does not exist',
  },
}
