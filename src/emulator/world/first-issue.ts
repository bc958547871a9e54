import type { z } from 'zod';

/** The first thing that is wrong with a JSON document, and where: `users.0.user_id: expected string`. */
export function firstIssue(error: z.ZodError): string {
  const issue = error.issues[0];
  if (!issue) return 'it has another shape';
  const place = issue.path.map(String).join('.');
  return place === '' ? issue.message : `${place}: ${issue.message}`;
}
