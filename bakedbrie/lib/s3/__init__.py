"""The S3 wire: requests signed by botocore, sent once by the outbound door, answers as data."""
