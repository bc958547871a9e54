import type { z } from 'zod';

/** The first error in a JSON document, with its path: `users.0.user_id: expected string`. */
export function firstIssue(error: z.ZodError): string {
  const issue = error.issues[0];
  if (!issue) return 'it has another shape';
  const place = issue.path.map(String).join('.');
  return place === '' ? issue.message : `${place}: ${issue.message}`;
}
