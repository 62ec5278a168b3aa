"""Pages of the documents that are written from the catalogues: what each refusal means, what each tool takes."""
