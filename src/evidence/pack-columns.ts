/** What README.txt says of columns that a reader could take for more than they say. */

export const COLUMNS_SECTION = `WHAT THE COLUMNS MEAN

In the names of columns, a session is a conversation, and a job is a question with its
answer. No column calls a conversation complete: each says one thing about it.

index.csv, of each conversation:
  date                 when its first question in the pack was asked, or it was created
  jobs                 how many of its questions are in the pack
  jobs_in_session      how many the archive has; a search or a period may choose fewer
  jobs_withheld        how many of them are withheld, as withheld.csv says; a conversation
                       that is not in the pack, as all of it is withheld, has no row here:
                       only withheld.csv and summary.csv count it
  gaps, doubts         rows of gaps.csv that nobody has accepted, of the whole conversation
                       and of its questions in the pack: a gap is missing, a doubt ("doubtful")
                       is here and may be wrong. Questions that were left out and lost files
                       have separate rows there
  accepted_gaps, accepted_doubts   those that somebody has accepted
  lost_files           files that the archive had, and has no more, or damaged: each once.
                       gaps.csv has a row for each place ("lost")
  history_read_to_end  whether the list of its questions was read to its end; "in doubt"
                       where it was read and gaps.csv says why it is doubted. It says
                       nothing about files (gaps), questions that are not in the pack, or
                       answers that may still change (items.csv)
  at_the_service       "yes" while the service lists it; else since when it does not, or
                       that it was deleted from it. It stays in the archive
  on_hold              whether a hold is on it now

summary.csv, of each user:
  gaps, doubts, accepted_gaps, accepted_doubts, lost_files   as in index.csv, of all
                       conversations and of the list of them
  jobs_left_out        questions of unknown date that are not in the pack, as gaps.csv says
  jobs_withheld        questions that withheld.csv says are not in the pack, with those
                       of conversations that have no row in index.csv
  file_places          places in answers that show a table or an image, as items.csv has
                       them; "tables, images" above counts each file once
  file_places_stored   those of them whose file is in the pack
  sessions_listed      conversations that the service listed, without those that were erased
                       and are not to come back
  first_exported_at, last_exported_at   when the first and the last of what is here of the
                       user was archived. A later run that found nothing new is not in it:
                       "last_listed_at" is when all of them were last listed

items.csv, status:
  history_read_to_end, history_in_doubt, history_not_read_to_end
                       of a conversation: as in index.csv
  settled              of a question: its answer is not expected to change any more
  may_still_change     of a question: its answer may still come or change
  not_settled          of a question: nothing showed that its answer was final, and its
                       conversation is no longer at the service: nobody can say any more
  stored               of a file: it is in the pack; any other word is why it is not
  lost                 of a file: the archive had it, and has it no more, or damaged
  superseded           of a conversation or a question: an older version of it

items.csv, of a question:
  pack_offset          at which byte of the file its record begins, from 0. "bytes" and
                       "sha256" are those of the record alone, without the list around it:
  tail -c +$((1 + OFFSET)) FILE | head -c BYTES | sha256sum

`;
