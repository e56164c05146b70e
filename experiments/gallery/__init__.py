"""Pictures of what contacts do and what data tell of them, one file each."""
